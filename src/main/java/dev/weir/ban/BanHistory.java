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
     * Lifts a ban, whether it still holds or has ended. Returns at once, like {@link #record}, and is done after what was
     * recorded before.
     *
     * @param by     who lifts it
     * @param reason why, in words
     * @return done when that would survive a crash: whether there is such a ban, and nobody had lifted it before
     */
    CompletionStage<Boolean> lift(String id, String by, String reason, Instant at);

    /**
     * What has changed since the last call in the bans that hold at an instant: neither ended nor lifted. At the first call, all
     * of them. Their evidence is left out, as nobody decides by it. Waits for the store; is called by one thread at a time.
     */
    BanChanges changes(Instant now);

    /**
     * The precedent of each client that was banned for strikes and whose ban has ended; of several bans, the one that ended
     * last. Addresses have none. Waits for the store.
     *
     * @param after the ban ended after this
     * @param by    and had ended by then
     */
    List<Precedent> precedents(Instant after, Instant by);
}
