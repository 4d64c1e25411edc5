package dev.weir.app;

import dev.weir.ban.ThrottleEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log's lines {@code throttled}: of each principal, tool and level the first at once, and then at most one in ten seconds
 * that counts the calls since the line before. Told of the counts of whole seconds, by one thread at a time.
 */
final class ThrottleLog {

    private static final Logger LOG = LoggerFactory.getLogger(ThrottleLog.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    /** The most lines at one time; what comes beyond is counted together. */
    private static final int MAX_KINDS = 1_000;

    private record Kind(String principal, String tool, String level) {}

    private static final Kind OTHERS = new Kind("others", "", "any");

    private static final class Count {
        private long calls;
        private long lineNanos;

        private Count(long lineNanos) {
            this.lineNanos = lineNanos;
        }
    }

    private final LongSupplier nanoClock;
    private final Map<Kind, Count> counts = new HashMap<>();

    ThrottleLog(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Adds calls, and writes the lines that are due. Called again and again, also without any. */
    void tell(List<ThrottleEvent> events) {
        long now = nanoClock.getAsLong();
        for (ThrottleEvent event : events) {
            if (event.kind().decision() == ThrottleEvent.Decision.THROTTLED) {
                Kind kind = kind(event.kind());
                counts.computeIfAbsent(kind, first -> new Count(now - PAUSE_NANOS)).calls += event.calls();
            }
        }
        for (Iterator<Map.Entry<Kind, Count>> all = counts.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Kind, Count> entry = all.next();
            Count count = entry.getValue();
            if (now - count.lineNanos >= PAUSE_NANOS) {
                if (count.calls == 0) {
                    all.remove();
                } else {
                    line(entry.getKey(), count.calls);
                    count.calls = 0;
                    count.lineNanos = now;
                }
            }
        }
    }

    /** Writes what has been counted since the lines before, because there will be no later. */
    void close() {
        counts.forEach((kind, count) -> {
            if (count.calls > 0) {
                line(kind, count.calls);
            }
        });
        counts.clear();
    }

    private Kind kind(ThrottleEvent.Kind event) {
        Kind kind = new Kind(event.principal(), event.tool(), event.level());
        return counts.size() < MAX_KINDS || counts.containsKey(kind) ? kind : OTHERS;
    }

    private static void line(Kind kind, long calls) {
        LoggingEventBuilder line = LOG.atWarn().addKeyValue("principal", kind.principal());
        if (!kind.tool().isEmpty()) {
            line = line.addKeyValue("tool", kind.tool());
        }
        line.addKeyValue("limit_level", kind.level())
                .addKeyValue("calls", calls)
                .log("throttled");
    }
}
