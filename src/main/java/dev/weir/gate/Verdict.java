package dev.weir.gate;

import dev.weir.ban.Standing;
import dev.weir.limit.Outcome;
import dev.weir.limit.Reservation;
import dev.weir.limit.Take;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the gate says of one call: everything that the caller will be told, and nothing else. */
public sealed interface Verdict {

    /** What it is, as one word of the log, the history and the numbers. */
    String decision();

    /** The prefix of the call's route; null if the path belongs to none. */
    @Nullable
    String route();

    /** The call goes on, at once or after a wait. Holds what has to be given back when it ends. */
    final class Admit implements Verdict {

        private final @Nullable String route;
        private final Outcome.@Nullable Taken taken;

        Admit(@Nullable String route, Outcome.@Nullable Taken taken) {
            this.route = route;
            this.taken = taken;
        }

        @Override
        public String decision() {
            return "admit";
        }

        @Override
        public @Nullable String route() {
            return route;
        }

        /** What is left of the tightest limit; null if nothing was counted. */
        public @Nullable Quota quota() {
            if (taken == null || taken.tightest() == null) {
                return null;
            }
            return Quota.of(taken.tightest(), taken.owedNanos());
        }

        /** The tier in shadow mode that would have refused it; null if none would. */
        public @Nullable String wouldThrottle() {
            Take would = taken == null ? null : taken.wouldRefuse();
            return would == null ? null : would.tier().name();
        }

        /** How long the call has to wait for its tokens, in nanoseconds; zero for not at all. */
        public long waitNanos() {
            Reservation reservation = reservation();
            return reservation == null ? 0 : reservation.waitNanos();
        }

        /** Whether there is something to be given back when the exchange ends. */
        public boolean holds() {
            return reservation() != null;
        }

        /** To be called when the exchange has ended, whichever way; only the first call of this or {@link #cancel} counts. */
        public void release() {
            Reservation reservation = reservation();
            if (reservation != null) {
                reservation.release();
            }
        }

        /** To be called instead when the call will never begin, because its caller has left while it waited. */
        public void cancel() {
            Reservation reservation = reservation();
            if (reservation != null) {
                reservation.cancel();
            }
        }

        private @Nullable Reservation reservation() {
            return taken == null ? null : taken.reservation();
        }
    }

    /**
     * The call is refused for now.
     *
     * @param form            how to tell
     * @param route           the prefix of its route
     * @param tool            the tool that it would have run, or the method, at the level of that name; null if none
     * @param level           the level that refused; {@code concurrency} where too many calls are in flight
     * @param cooling         whether the tool is shut for a while, and not only empty
     * @param waitNanos       the time after which the same call is admitted, if no other comes before; {@link #NEVER} if the
     *                        limit gives nothing at all; zero if nobody can tell, because other calls have to end first
     * @param quota           the limit that refused, and what is left of it
     * @param strikes         the strikes against the caller inside the window; zero if this throttle is none
     * @param strikesUntilBan how many more strikes bring a ban; zero if this throttle is no strike
     * @param holdNanos       how long the answer is to be held back; zero if it is not
     * @param answered        to be called when the answer is about to be written, or never can be
     */
    record Throttle(
            Form form,
            String route,
            @Nullable String tool,
            String level,
            boolean cooling,
            long waitNanos,
            Quota quota,
            int strikes,
            int strikesUntilBan,
            long holdNanos,
            Runnable answered)
            implements Verdict {

        @Override
        public String decision() {
            return "throttle";
        }
    }

    /**
     * The caller is banned. Small, because a banned agent may ask very often: what is told of the ban lies ready in it.
     *
     * @param form  how to tell
     * @param route the prefix of the call's route
     * @param ban   the ban
     */
    record Shut(Form form, String route, Standing ban) implements Verdict {

        @Override
        public String decision() {
            return "shut";
        }

        /** Names the ban. */
        public String banId() {
            return ban.ban().id();
        }

        /** Whether the ban shuts everything, and not only calls of tools. */
        public boolean all() {
            return ban.shutsAll();
        }

        /** Why, in words that follow the time left. */
        public String reason() {
            return ban.why();
        }

        /** The milliseconds that are left of the ban, at least one. */
        public long remainingMillis(long nowMillis) {
            return ban.remainingMillis(nowMillis);
        }

        /** When the ban ends, as RFC 3339 writes it. */
        public String until() {
            return ban.until();
        }

        /** Done when the ban would survive a crash, so that it may be spoken of. */
        public CompletionStage<Void> announced() {
            return ban.recorded();
        }
    }

    /** What would help a caller that may not do what it tried. */
    enum Remedy {
        /** Nothing that it could do by itself. */
        NONE,
        /** A credential. */
        LOGIN,
        /** A token with more scopes. */
        SCOPES
    }

    /**
     * The caller may not do this.
     *
     * @param form   how to tell
     * @param route  the prefix of the call's route
     * @param tool   the tool, or the method; null if it may not use the route at all
     * @param why    the reason in words, to follow the name of what it may not
     * @param remedy what would help
     * @param scopes what its credential has to have, all of it, where one would help
     */
    record Forbid(Form form, String route, @Nullable String tool, String why, Remedy remedy, Set<String> scopes)
            implements Verdict {

        @Override
        public String decision() {
            return "forbid";
        }
    }

    /**
     * The batch could never be admitted, because its calls take more together than a bucket holds.
     *
     * @param form  how to tell
     * @param route the prefix of the call's route
     * @param why   the number and the rule
     */
    record Oversized(Form form, String route, String why) implements Verdict {

        @Override
        public String decision() {
            return "oversized";
        }
    }

    /** The wait of a call that will never be admitted. */
    long NEVER = Long.MAX_VALUE;
}
