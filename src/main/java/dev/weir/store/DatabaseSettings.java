package dev.weir.store;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is, and as whom it is opened.
 *
 * @param url      a JDBC URL, such as {@code jdbc:h2:file:./data/weir}
 * @param user     the user's name
 * @param password the user's password; null if none is set, when one is made and kept for an H2 file
 * @param dataDir  where that password, and the port for {@code sql}, are kept
 * @param poolSize the most connections that are open at once; at least 2, which migrations need
 */
public record DatabaseSettings(
        String url, String user, @Nullable String password, Path dataDir, int poolSize) {

    /**
     * @throws IllegalArgumentException naming the value and the rule
     */
    public DatabaseSettings {
        if (poolSize < 2) {
            throw new IllegalArgumentException("pool size must be at least 2, not " + poolSize);
        }
    }

    /** Without the password, and without what an URL may carry of secrets. */
    @Override
    public String toString() {
        return DatabaseKind.shown(url) + " as " + user;
    }
}
