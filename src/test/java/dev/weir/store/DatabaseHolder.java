package dev.weir.store;

import java.nio.file.Path;

/** Opens the database of a directory, says {@code open}, and holds it until it is killed. */
public final class DatabaseHolder {

    private DatabaseHolder() {}

    /** Settings for the file {@code weir} in a directory, with a password that is made. */
    public static DatabaseSettings settings(Path directory) {
        return new DatabaseSettings("jdbc:h2:file:" + directory.resolve("weir"), "weir", null, directory, 4);
    }

    public static void main(String[] arguments) throws Exception {
        try (Database database = Database.open(settings(Path.of(arguments[0])))) {
            System.out.println("open");
            Thread.currentThread().join();
            database.jdbi();
        }
    }
}
