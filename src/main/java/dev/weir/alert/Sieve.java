package dev.weir.alert;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What holds back the news that a target has been told a moment ago, and counts it, so that what is held back is told later as a number.
 * Its memory is bounded, because it remembers only what it has let through. Safe for use by many threads; nobody waits for more than
 * a look-up.
 */
final class Sieve {

    /** News that is to be told now. */
    record Passed(News news, Instant at, int repeated) {}

    private record Key(AlertEvent event, String subject) {}

    /** What has been let through, and what of the same kind has been held back since. */
    private static final class Told {

        private final long untilNanos;
        private @Nullable News last;
        private Instant lastAt;
        private int held;

        Told(long untilNanos, Instant at) {
            this.untilNanos = untilNanos;
            this.lastAt = at;
        }

        void hold(News news, Instant at) {
            last = news;
            lastAt = at;
            held++;
        }
    }

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final AlertRules.Once rules;
    private final LongSupplier nanoClock;

    // All below under this object's lock.

    /** In the order in which they end, because all last for the same time. */
    private final Map<Key, Told> told = new LinkedHashMap<>();

    /** How much was beyond the number of this minute. */
    private final Map<AlertEvent, Integer> beyond = new EnumMap<>(AlertEvent.class);

    private long minuteNanos;
    private int inMinute;
    private long heldBack;

    Sieve(AlertRules.Once rules, LongSupplier nanoClock) {
        this.rules = rules;
        this.nanoClock = nanoClock;
        this.minuteNanos = nanoClock.getAsLong();
    }

    /** Takes news. What is told now is returned: with it, perhaps, what was held back and is due. */
    synchronized List<Passed> offer(News news, Instant at) {
        List<Passed> passed = due(at);
        Told before = told.get(key(news));
        if (before != null) {
            before.hold(news, at);
            heldBack++;
        } else if (!pass(new Passed(news, at, 0), passed)) {
            heldBack++;
        }
        return passed;
    }

    /** What was held back and is to be told now. To be asked for now and then. */
    synchronized List<Passed> due(Instant at) {
        long now = nanoClock.getAsLong();
        List<Passed> passed = new ArrayList<>();
        if (now - minuteNanos >= MINUTE_NANOS) {
            tellBeyond(at, passed);
            minuteNanos = now;
            inMinute = 0;
        }
        List<Told> ended = new ArrayList<>();
        for (Iterator<Told> all = told.values().iterator(); all.hasNext(); ) {
            Told each = all.next();
            if (now - each.untilNanos < 0) {
                break;
            }
            all.remove();
            ended.add(each);
        }
        ended.forEach(each -> tellHeld(each, passed));
        return passed;
    }

    /** All that was held back, because there will be no later. */
    synchronized List<Passed> rest(Instant at) {
        List<Passed> passed = new ArrayList<>();
        tellBeyond(at, passed);
        List<Told> all = List.copyOf(told.values());
        told.clear();
        inMinute = 0;
        all.forEach(each -> tellHeld(each, passed));
        tellBeyond(at, passed);
        return passed;
    }

    /** How much has been held back so far. */
    synchronized long heldBack() {
        return heldBack;
    }

    private void tellHeld(Told ended, List<Passed> passed) {
        News last = ended.last;
        if (last != null) {
            var unused = pass(new Passed(last, ended.lastAt, ended.held), passed);
        }
    }

    private void tellBeyond(Instant at, List<Passed> passed) {
        beyond.forEach((event, number) -> passed.add(new Passed(summary(event, number), at, number)));
        beyond.clear();
    }

    private static News summary(AlertEvent event, int number) {
        String title = number + " more " + event.many();
        return new News(
                event,
                "more",
                null,
                title,
                title
                        + " within a minute were too many to be told one by one. The log and the database have each of them.",
                Map.of("more", number));
    }

    /** Lets something through, unless it is too much for this minute. */
    private boolean pass(Passed next, List<Passed> passed) {
        if (inMinute >= rules.perMinute()) {
            beyond.merge(next.news().event(), Math.max(1, next.repeated()), Integer::sum);
            return false;
        }
        inMinute++;
        long until = nanoClock.getAsLong() + rules.window().toNanos();
        told.put(key(next.news()), new Told(until, next.at()));
        passed.add(next);
        return true;
    }

    private static Key key(News news) {
        return new Key(news.event(), news.subject());
    }
}
