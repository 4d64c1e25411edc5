package dev.weir.upstream;

import java.time.Duration;

/** Bounds that no test runs into unless it means to. */
public final class Bounds {

    public static final Duration FIRST_BYTE = Duration.ofMinutes(1);
    public static final Duration IDLE = Duration.ofMinutes(5);

    private Bounds() {}

    public static Limits limits(Duration firstByte, Duration idle) {
        return new Limits(Duration.ofSeconds(3), firstByte, idle, null, 1_024, 1_024, 0);
    }
}
