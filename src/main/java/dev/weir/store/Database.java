package dev.weir.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;
import org.h2.api.ErrorCode;
import org.jdbi.v3.core.HandleConsumer;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
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

    /** SQLSTATE of PostgreSQL. */
    private static final String WRONG_PASSWORD = "28P01";

    private final DatabaseSettings settings;
    private final DatabaseKind kind;
    private final HikariDataSource pool;
    private final Jdbi jdbi;
    private final @Nullable H2Server server;

    private Database(DatabaseSettings settings, DatabaseKind kind, HikariDataSource pool, @Nullable H2Server server) {
        this.settings = settings;
        this.kind = kind;
        this.pool = pool;
        this.jdbi = Jdbi.create(pool);
        this.server = server;
    }

    /**
     * Opens the database, makes it if it is an H2 file that is not there, and migrates it. Several may open a database at once.
     *
     * @throws DatabaseUnavailableException with the reason as one sentence; nothing is left open then
     */
    public static Database open(DatabaseSettings settings) throws DatabaseUnavailableException {
        H2Server.listenOnLoopbackOnly();
        DatabaseKind kind = DatabaseKind.of(settings.url());
        HikariConfig config = config(settings, kind);
        HikariDataSource pool = null;
        try {
            Path file = kind.file(settings.url());
            config.setPassword(password(settings, file));
            pool = pool(config, kind);
            migrate(pool, config, kind);
            return new Database(settings, kind, pool, serve(file, settings));
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

    /**
     * A listener for the changes of the policy and the bans, to be run by a thread of its own; empty if the database tells
     * nobody of them.
     *
     * @param changed called on that thread after every change, and whenever there may have been one; it must not throw
     */
    public Optional<ChangeListener> listener(Runnable changed) {
        return kind == DatabaseKind.POSTGRESQL
                ? Optional.of(new ChangeListener(this::connectToListen, changed))
                : Optional.empty();
    }

    private Connection connectToListen() throws SQLException {
        Map<String, String> properties = new HashMap<>(kind.atWork());
        properties.put("ApplicationName", "weir-listener");
        String password = settings.password() == null ? "" : settings.password();
        return kind.connect(settings.url(), settings.user(), password, properties);
    }

    /** Reads in one transaction; a query with a fetch size then hands on its rows as they come, and never holds all. */
    void stream(HandleConsumer<RuntimeException> reader) {
        jdbi.useTransaction(handle -> {
            if (!kind.streamed().isEmpty()) {
                handle.execute(kind.streamed());
            }
            try {
                reader.useHandle(handle);
            } finally {
                if (!kind.collected().isEmpty()) {
                    handle.execute(kind.collected());
                }
            }
        });
    }

    /** What has to be run after a commit that must survive whatever comes next. */
    String afterCommit() {
        return kind.afterCommit();
    }

    /** The isolation in which a transaction that only reads sees all tables as of one instant. */
    TransactionIsolationLevel oneInstant() {
        return kind.oneInstant();
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

    private static HikariConfig config(DatabaseSettings settings, DatabaseKind kind)
            throws DatabaseUnavailableException {
        HikariConfig config = new HikariConfig();
        config.setPoolName("weir");
        config.setDriverClassName(kind.driverClass());
        config.setJdbcUrl(kind.full(settings.url()));
        config.setUsername(settings.user());
        config.setMaximumPoolSize(settings.poolSize());
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        config.setValidationTimeout(CONNECTION_TIMEOUT.toMillis() / 2);
        if (kind == DatabaseKind.H2) {
            // Never renewed for their age, because H2 closes a database with its last connection.
            config.setMaxLifetime(0);
        }
        kind.properties().forEach(config::addDataSourceProperty);
        return config;
    }

    private static HikariDataSource pool(HikariConfig common, DatabaseKind kind) {
        HikariConfig config = new HikariConfig();
        common.copyStateTo(config);
        kind.atWork().forEach(config::addDataSourceProperty);
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

    private static void migrate(HikariDataSource pool, HikariConfig common, DatabaseKind kind) {
        if (kind == DatabaseKind.H2) {
            // A constraint of H2 works only while the connection is open that made it, or else once the file is
            // reopened.
            flyway(pool, kind).load().migrate();
            return;
        }
        // In connections that wait, because a migration may take long, and those of several nodes come one after the
        // other.
        HikariConfig config = new HikariConfig();
        common.copyStateTo(config);
        config.setPoolName("weir-migration");
        config.setMinimumIdle(0);
        try (HikariDataSource patient = new HikariDataSource(config)) {
            FluentConfiguration flyway = flyway(patient, kind);
            // Not locked by an open transaction, for which other nodes' statements could wait for ever.
            flyway.getConfigurationExtension(PostgreSQLConfigurationExtension.class)
                    .setTransactionalLock(false);
            flyway.load().migrate();
        }
    }

    private static FluentConfiguration flyway(HikariDataSource source, DatabaseKind kind) {
        // Our own class loader, because a thread of a container may carry another one.
        return Flyway.configure(Database.class.getClassLoader())
                .dataSource(source)
                .locations(kind.migrations().toArray(String[]::new))
                .validateMigrationNaming(true);
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
                } else if (sql.getErrorCode() == ErrorCode.WRONG_USER_OR_PASSWORD
                        || WRONG_PASSWORD.equals(sql.getSQLState())) {
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
