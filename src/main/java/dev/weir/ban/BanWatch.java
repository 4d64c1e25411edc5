package dev.weir.ban;

/**
 * Is told of bans that begin and end while Weir runs, wherever they were made or lifted. Is called by any thread, and has to
 * return at once.
 */
public interface BanWatch {

    /** One that is told and does nothing. */
    BanWatch NONE = new BanWatch() {
        @Override
        public void banned(Ban ban, boolean ours) {}

        @Override
        public void unbanned(Ban ban, boolean lifted) {}
    };

    /**
     * A ban begins to hold here.
     *
     * @param ours whether it was made here
     */
    void banned(Ban ban, boolean ours);

    /**
     * A ban holds no more.
     *
     * @param lifted whether it had time left
     */
    void unbanned(Ban ban, boolean lifted);
}
