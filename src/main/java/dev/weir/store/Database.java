package dev.weir.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import org.flywaydb.core.Flyway;
import org.h2.api.ErrorCode;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open database: a pool of connections to it, its tables brought up to date, and for an H2 file the server through which
 * {@code sql} sees it. Safe for use by many threads.
 */
public final class Database implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Database.class);

    /** Short, because whoever waits for a connection has others waiting behind it, and can try again. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);

    private final HikariDataSource pool;
    private final DatabaseKind kind;
    private final Jdbi jdbi;
    private final @Nullable H2Server server;

    private Database(HikariDataSource pool, DatabaseKind kind, @Nullable H2Server server) {
        this.pool = pool;
        this.kind = kind;
        this.jdbi = Jdbi.create(pool);
        this.server = server;
    }

    /**
     * Opens the database, makes it if it is an H2 file that is not there, and migrates it.
     *
     * @throws DatabaseUnavailableException with the reason as one sentence; nothing is left open then
     */
    public static Database open(DatabaseSettings settings) throws DatabaseUnavailableException {
        H2Server.listenOnLoopbackOnly();
        DatabaseKind kind = DatabaseKind.of(settings.url());
        H2Url url = H2Url.of(settings.url());
        HikariDataSource pool = null;
        try {
            pool = pool(settings, kind, url);
            migrate(pool);
            return new Database(pool, kind, serve(url.file(), settings));
        } catch (RuntimeException | IOException e) {
            if (pool != null) {
                pool.close();
            }
            throw unavailable(settings, e);
        }
    }

    /** Access to the tables. Every use takes a connection from the pool, waiting at most two seconds for one. */
    public Jdbi jdbi() {
        return jdbi;
    }

    /** What has to be run after a commit that must survive whatever comes next. */
    String afterCommit() {
        return kind.afterCommit();
    }

    /** Closes everything, and takes the drivers that came with us out of the platform's list, which would outlive us. */
    @Override
    public void close() {
        if (server != null) {
            try {
                server.close();
            } catch (IOException e) {
                log.warn("database_port_file_left_behind: {}", e.toString());
            }
        }
        pool.close();
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            if (driver.getClass().getClassLoader() == Database.class.getClassLoader()) {
                deregister(driver);
            }
        }
    }

    private static HikariDataSource pool(DatabaseSettings settings, DatabaseKind kind, H2Url url)
            throws DatabaseUnavailableException, IOException {
        HikariConfig config = new HikariConfig();
        config.setPoolName("weir");
        config.setDriverClassName(kind.driverClass());
        config.setJdbcUrl(url.full());
        config.setUsername(settings.user());
        config.setPassword(password(settings, url.file()));
        config.setMaximumPoolSize(settings.poolSize());
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        config.setValidationTimeout(CONNECTION_TIMEOUT.toMillis() / 2);
        // Never renewed for their age, because H2 closes a database with its last connection.
        config.setMaxLifetime(0);
        return new HikariDataSource(config);
    }

    private static String password(DatabaseSettings settings, @Nullable Path file)
            throws DatabaseUnavailableException, IOException {
        if (file == null) {
            return settings.password() == null ? "" : settings.password();
        }
        OwnerOnlyFile.createDirectories(file.resolveSibling(""));
        return DatabasePassword.findOrMake(settings, file);
    }

    private static void migrate(HikariDataSource pool) {
        // Our own class loader, because a thread of a container may carry another one.
        Flyway.configure(Database.class.getClassLoader())
                .dataSource(pool)
                .locations("classpath:db/migration")
                .validateMigrationNaming(true)
                .load()
                .migrate();
    }

    private static @Nullable H2Server serve(@Nullable Path file, DatabaseSettings settings) {
        if (file == null) {
            return null;
        }
        try {
            return H2Server.start(file, settings.dataDir());
        } catch (SQLException | IOException e) {
            log.warn("database_not_served: sql will not work beside this process: {}", DatabaseKind.reason(e));
            return null;
        }
    }

    /** Says why, in words for the person who has to mend it. */
    static DatabaseUnavailableException unavailable(DatabaseSettings settings, Exception failure) {
        String why = DatabaseKind.reason(failure);
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql) {
                if (sql.getErrorCode() == ErrorCode.DATABASE_ALREADY_OPEN_1) {
                    why = "already in use by another process";
                } else if (sql.getErrorCode() == ErrorCode.WRONG_USER_OR_PASSWORD) {
                    why = "wrong user name or password (user " + settings.user() + ")";
                }
            }
        }
        return new DatabaseUnavailableException(
                "database " + DatabaseKind.shown(settings.url()) + " cannot be opened: " + why, failure);
    }

    private static void deregister(Driver driver) {
        try {
            DriverManager.deregisterDriver(driver);
        } catch (SQLException e) {
            log.warn("driver_left_behind: {}", e.toString());
        }
    }
}
