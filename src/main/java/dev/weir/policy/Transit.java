package dev.weir.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the requests of a route get to its upstream, and what may be waited for on the way. Immutable.
 *
 * @param stripsPrefix   whether the public prefix is taken off the path
 * @param preservesHost  whether the upstream sees the Host that the client named, and not its own
 * @param errors         what becomes of an upstream's error answers on a route of kind {@code http}
 * @param tls            the name of the trust and the certificate that the settings hold for this route; null for the machine's
 * @param connect        the longest that opening a connection may take
 * @param firstByte      the longest that the head of an answer may take
 * @param idle           the longest that an answer that has begun may stand still
 * @param total          the longest that an exchange may take that is no stream; null for no such limit
 * @param maxConnections the most connections to one target for short calls
 * @param maxQueued      the most calls that wait for one of these
 * @param maxBodyBytes   the largest body on a route of kind {@code http}; 0 for any
 */
public record Transit(
        boolean stripsPrefix,
        boolean preservesHost,
        ErrorMode errors,
        @Nullable String tls,
        Duration connect,
        Duration firstByte,
        Duration idle,
        @Nullable Duration total,
        int maxConnections,
        int maxQueued,
        long maxBodyBytes) {

    private static final int LONGEST_MS = 86_400_000;

    /** What becomes of an upstream's 4xx and 5xx. */
    public enum ErrorMode {
        /** The status is kept; the body is replaced. */
        UNIFIED,
        /** The same for 5xx; 4xx pass. */
        MASK_5XX,
        /** All pass. */
        PASS;

        private static ErrorMode of(String word) {
            return switch (word) {
                case "unified" -> UNIFIED;
                case "mask_5xx" -> MASK_5XX;
                case "pass" -> PASS;
                default ->
                    throw new IllegalArgumentException(
                            "error_mode must be unified, mask_5xx or pass, not [" + word + "]");
            };
        }
    }

    /** @throws IllegalArgumentException if a column cannot work as written; the message names it, the value and the rule */
    static Transit of(PolicyRows.Transit row) {
        if (row.maxBodyBytes() < 0) {
            throw new IllegalArgumentException("max_body_bytes must not be negative, but is " + row.maxBodyBytes());
        }
        int total = Ranges.check("total_timeout_ms", row.totalTimeoutMs(), 0, LONGEST_MS);
        return new Transit(
                row.stripPrefix(),
                row.preserveHost(),
                ErrorMode.of(row.errorMode()),
                row.tls() == null ? null : NamedSettings.key(row.tls()),
                Duration.ofMillis(Ranges.check("connect_timeout_ms", row.connectTimeoutMs(), 1, 60_000)),
                Duration.ofMillis(Ranges.check("first_byte_timeout_ms", row.firstByteTimeoutMs(), 1, LONGEST_MS)),
                Duration.ofMillis(Ranges.check("idle_timeout_ms", row.idleTimeoutMs(), 1, LONGEST_MS)),
                total == 0 ? null : Duration.ofMillis(total),
                Ranges.check("max_connections", row.maxConnections(), 1, 65_536),
                Ranges.check("max_queued", row.maxQueued(), 0, 65_536),
                row.maxBodyBytes());
    }
}
