package dev.weir.ban;

import java.util.List;

/** Where throttles are kept for good. Safe for use by many threads. */
public interface ThrottleHistory {

    /**
     * Keeps what happened. Returns at once and never fails; what there is no room for is put together more coarsely, and
     * dropped in the end.
     */
    void record(List<ThrottleEvent> events);
}
