package dev.weir.ban;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Where bans are kept for good. Safe for use by many threads. */
public interface BanHistory {

    /**
     * Keeps a ban. Returns at once; never on the caller's time, and never dropped.
     *
     * @return done when the ban would survive a crash; never fails, but may take as long as the store is away
     */
    CompletionStage<Void> record(Ban ban);

    /**
     * The bans that hold at an instant: not ended and not lifted. Waits for the store.
     */
    List<Ban> activeAt(Instant now);
}
