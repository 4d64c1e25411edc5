package dev.weir.store;

import java.nio.file.Path;

/** The kinds of database that a contract is to hold on. */
public enum DatabaseUnderTest {
    /** A file of H2. */
    H2 {
        @Override
        public DatabaseSettings fresh(Path directory) {
            return DatabaseHolder.settings(directory);
        }
    },

    /** A database of its own on a real server, which all tests of this process share. */
    POSTGRESQL {
        @Override
        public DatabaseSettings fresh(Path directory) {
            return PostgresServer.running().fresh(directory);
        }
    };

    /**
     * Settings for a database that nobody else uses and that is empty.
     *
     * @param directory what there is of files goes there
     */
    public abstract DatabaseSettings fresh(Path directory);
}
