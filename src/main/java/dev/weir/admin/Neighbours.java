package dev.weir.admin;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The other nodes of the same database. Must be safe for use by many threads, and waits for nothing. */
public interface Neighbours {

    /**
     * Another node.
     *
     * @param id     tells it apart from all others
     * @param name   its host
     * @param seenAt when it was last heard of
     * @param away   whether that is too long ago
     * @param sample what it is at; null if it has not said so lately
     */
    record Other(
            String id,
            String name,
            Instant seenAt,
            boolean away,
            @Nullable Sample sample) {}

    /** Those that are known of, in the order of their names. */
    List<Other> others();

    /** Whether somebody watches all nodes from another one, so that this one has to say what it is at. */
    boolean isWatched();
}
