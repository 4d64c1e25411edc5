package dev.weir.limit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at buckets without touching them: tells what {@link LocalBuckets#take} would answer to a charge at this moment. Safe for
 * use by many threads.
 */
final class Foresight {

    private final Accounts accounts;
    private final long now;

    /** @param now the moment, on the clock of the buckets */
    Foresight(Accounts accounts, long now) {
        this.accounts = accounts;
        this.now = now;
    }

    Forecast of(String principal, Charge charge) {
        Account own = accounts.find(principal);
        Forecast forecast = look(own, charge, false);
        // Whoever has no account yet gets one that owes what those owe for whom there was no room.
        return own == null && forecast.passes() ? look(accounts.overflow(), charge, true) : forecast;
    }

    /** @param copied whether the account stands for one whose buckets would be copies of its own */
    private Forecast look(@Nullable Account own, Charge charge, boolean copied) {
        List<Forecast.Look> looks = new ArrayList<>();
        Forecast.Look by = null;
        Forecast.Look shadow = null;
        long wait = 0;
        for (Take take : charge.takes()) {
            boolean personal = take.bucket().level().personal();
            Account home = personal ? own : accounts.shared();
            TokenBucket bucket = home == null ? null : home.find(take.bucket());
            Forecast.Look look = look(take, bucket, personal && copied);
            looks.add(look);
            if (by != null) {
                wait = Math.max(wait, afterwards(look));
            } else if (look.reason() == null) {
                wait = Math.max(wait, look.waitNanos());
            } else if (take.isShadow()) {
                shadow = look;
            } else {
                by = look;
                wait = look.waitNanos();
            }
        }
        return new Forecast(looks, by, wait, shadow);
    }

    /** What a take that is wider than the one that refuses adds to the wait: its tokens only. */
    private static long afterwards(Forecast.Look look) {
        Limit limit = look.take().tier().limit();
        return limit.blocks()
                ? Outcome.NEVER
                : tokensWait(look.owedNanos(), look.take().cost(), limit);
    }

    private Forecast.Look look(Take take, @Nullable TokenBucket bucket, boolean copied) {
        Tier tier = take.tier();
        Limit limit = tier.limit();
        if (limit.blocks()) {
            return new Forecast.Look(take, Outcome.Reason.BLOCKED, 0, Outcome.NEVER, 0, 0);
        }
        if (bucket == null) {
            return new Forecast.Look(take, null, 0, 0, 0, 0);
        }
        long owed = bucket.owedNanos(limit, now);
        long shut = bucket.shutNanos(tier.cooldownNanos(), now);
        int inFlight = copied ? 0 : bucket.inFlight();
        long wait = tokensWait(owed, take.cost(), limit);
        if (shut > 0) {
            // Charged all the same while it cools down, as far as it has tokens.
            boolean cooling = wait == 0;
            long next = cooling ? tokensWait(owed + take.cost() * limit.intervalNanos(), take.cost(), limit) : wait;
            Outcome.Reason reason = cooling ? Outcome.Reason.COOLING : Outcome.Reason.EMPTY;
            return new Forecast.Look(take, reason, owed, Math.max(shut, next), shut, inFlight);
        }
        boolean empty = wait > tier.maxWaitNanos();
        boolean busy = tier.maxConcurrent() > 0 && inFlight > tier.maxConcurrent() - take.calls();
        if (empty) {
            return new Forecast.Look(
                    take, Outcome.Reason.EMPTY, owed, Math.max(tier.cooldownNanos(), wait), 0, inFlight);
        }
        return new Forecast.Look(take, busy ? Outcome.Reason.BUSY : null, owed, wait, 0, inFlight);
    }

    private static long tokensWait(long owed, long cost, Limit limit) {
        return Math.max(0, owed + cost * limit.intervalNanos() - limit.fillNanos());
    }
}
