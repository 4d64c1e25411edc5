package dev.weir.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An H2 URL with the options that Weir needs. Immutable. */
final class H2Url {

    private static final String SCHEME = "jdbc:h2:";

    /** What is neither a file nor to be treated as one. */
    private static final List<String> NOT_FILES = List.of("mem:", "tcp:", "ssl:", "zip:", "nio", "split:", "async:");

    /*
     * WRITE_DELAY=0, because with H2's default of half a second a commit is lost when the process is killed. The next three
     * make H2 read SQL the way PostgreSQL does. DB_CLOSE_ON_EXIT=FALSE, because H2's own shutdown hook would close the
     * database before the last writes.
     */
    private static final List<String> OPTIONS = List.of(
            "WRITE_DELAY=0",
            "MODE=PostgreSQL",
            "DATABASE_TO_LOWER=TRUE",
            "DEFAULT_NULL_ORDERING=HIGH",
            "DB_CLOSE_ON_EXIT=FALSE");

    private final String url;
    private final @Nullable Path file;

    private H2Url(String url, @Nullable Path file) {
        this.url = url;
        this.file = file;
    }

    /** Adds the options that a URL does not set itself. */
    static H2Url of(String url) throws DatabaseUnavailableException {
        String upper = url.toUpperCase(Locale.ROOT);
        if (upper.contains(";AUTO_SERVER=TRUE")) {
            throw new DatabaseUnavailableException("database " + DatabaseKind.shown(url)
                    + " must not be opened with AUTO_SERVER, which listens on all interfaces");
        }
        StringBuilder full = new StringBuilder(url);
        for (String option : OPTIONS) {
            String name = option.substring(0, option.indexOf('=') + 1);
            if (!upper.contains(";" + name)) {
                full.append(';').append(option);
            }
        }
        return new H2Url(full.toString(), file(DatabaseKind.shown(url).substring(SCHEME.length())));
    }

    private static @Nullable Path file(String location) {
        if (NOT_FILES.stream().anyMatch(location::startsWith)) {
            return null;
        }
        String path = location.startsWith("file:") ? location.substring("file:".length()) : location;
        if (path.startsWith("~/")) {
            path = System.getProperty("user.home") + path.substring(1);
        }
        return Path.of(path).toAbsolutePath().normalize();
    }

    /** The URL with all options. */
    String full() {
        return url;
    }

    /** The URL for a database that must exist already. */
    String existing() {
        return url + ";IFEXISTS=TRUE";
    }

    /** The database as {@link H2Server} serves it. */
    String served(int port, Path served) {
        String options = url.substring(url.indexOf(';'));
        return SCHEME + "tcp://127.0.0.1:" + port + "/" + served.getFileName() + options;
    }

    /** The path of the database without H2's ending; null if it is not a file that this process opens itself. */
    @Nullable
    Path file() {
        return file;
    }

    /** The file that H2 makes of that path. */
    static Path onDisk(Path file) {
        return file.resolveSibling(file.getFileName() + ".mv.db");
    }
}
