package dev.weir.upstream;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the way to one upstream is bounded by. Immutable.
 *
 * @param connect        the longest that opening a connection may take
 * @param firstByte      how long the head of an answer may take, from when the request is handed to the client
 * @param idle           how long an answer that has begun may stand still, whichever side is the cause
 * @param total          how long an exchange may take that is no stream of events; null for no such limit
 * @param maxConnections the most connections to one target for short calls
 * @param maxQueued      the most calls that wait for one of these
 * @param maxBodyBytes   the largest request body where bodies are not read whole; 0 for any
 */
public record Limits(
        Duration connect,
        Duration firstByte,
        Duration idle,
        @Nullable Duration total,
        int maxConnections,
        int maxQueued,
        long maxBodyBytes) {

    /** @throws IllegalArgumentException if a time is not longer than nothing; the message names it */
    public Limits {
        check("connect timeout", connect);
        check("first byte timeout", firstByte);
        check("idle timeout", idle);
        if (total != null) {
            check("total timeout", total);
        }
    }

    private static void check(String what, Duration time) {
        if (time.toNanos() <= 0) {
            throw new IllegalArgumentException(what + " \"" + time + "\" must be longer than nothing");
        }
    }
}
