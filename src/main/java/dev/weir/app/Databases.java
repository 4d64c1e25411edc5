package dev.weir.app;

import dev.weir.settings.Settings;
import dev.weir.store.DatabaseSettings;

/** Which database the settings mean. */
public final class Databases {

    /**
     * One for each who may wait in the database at the same time, so that a locked table holds up nobody else: two writers, the
     * chores, and whoever has heard of a change. Nothing on the path of a request takes a connection.
     */
    private static final int POOL_SIZE = 3 + Background.DATABASE_THREADS;

    private Databases() {}

    /** The database of these settings: the one named, else an H2 file in the data directory. */
    public static DatabaseSettings of(Settings settings) {
        String url = settings.db()
                .url()
                .orElseGet(() -> "jdbc:h2:file:"
                        + settings.dataDir().toAbsolutePath().normalize().resolve("weir"));
        return new DatabaseSettings(
                url, settings.db().user(), settings.db().password().orElse(null), settings.dataDir(), POOL_SIZE);
    }
}
