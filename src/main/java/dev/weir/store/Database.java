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
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleConsumer;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database: once it is open, a pool of connections to it, its tables brought up to date, and for an H2 file the server
 * through which {@code sql} sees it. Safe for use by many threads.
 */
public final class Database implements AutoCloseable {

    /** Something that is done in a transaction. */
    interface Work<T, X extends Exception> {
        T run() throws X;
    }

    private static final Logger log = LoggerFactory.getLogger(Database.class);

    /** Short, because whoever waits for a connection has others waiting behind it, and can try again. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);

    /** SQLSTATE of PostgreSQL. */
    private static final String WRONG_PASSWORD = "28P01";

    private final DatabaseSettings settings;
    private final DatabaseKind kind;
    private final Jdbi jdbi = Jdbi.create(this::connection);

    /** Null until it is open. Written, like the two below it, under the lock of this object. */
    private volatile @Nullable HikariDataSource pool;

    private @Nullable H2Server server;
    private boolean closed;

    private Database(DatabaseSettings settings, DatabaseKind kind) {
        this.settings = settings;
        this.kind = kind;
    }

    /**
     * The database of these settings, not yet open: until {@link #connect} has returned, whoever uses it is told so by an
     * exception.
     *
     * @throws DatabaseUnavailableException if there can be no such database, however long one waits
     */
    public static Database at(DatabaseSettings settings) throws DatabaseUnavailableException {
        DatabaseKind kind = DatabaseKind.of(settings.url());
        try {
            var unused = kind.full(settings.url());
        } catch (IllegalArgumentException e) {
            throw unavailable(settings, e);
        }
        return new Database(settings, kind);
    }

    /**
     * Opens the database of these settings.
     *
     * @throws DatabaseUnavailableException with the reason as one sentence; nothing is left open then
     */
    public static Database open(DatabaseSettings settings) throws DatabaseUnavailableException {
        Database database = at(settings);
        database.connect();
        return database;
    }

    /**
     * Opens the database, makes it if it is an H2 file that is not there, and migrates it. Does nothing if it is open. Several
     * processes may open a database at once. Is called by one thread at a time; {@link #close} does not wait for it.
     *
     * @throws DatabaseUnavailableException with the reason as one sentence; it may be tried again then
     */
    public void connect() throws DatabaseUnavailableException {
        if (pool != null) {
            return;
        }
        H2Server.listenOnLoopbackOnly();
        HikariConfig config = config(settings, kind);
        HikariDataSource opened = null;
        try {
            Path file = kind.file(settings.url());
            config.setPassword(password(settings, file));
            // A first connection beside the pool, which would tell the log of every attempt, and at length.
            Connection first = kind.connect(config.getJdbcUrl(), settings.user(), config.getPassword(), kind.atWork());
            try (first) {
                opened = pool(config, kind);
                migrate(opened, config, kind);
                keep(opened, serve(file, settings));
            }
        } catch (RuntimeException | IOException | SQLException e) {
            if (opened != null && pool == null) {
                opened.close();
            }
            throw unavailable(settings, e);
        }
    }

    private synchronized void keep(HikariDataSource opened, @Nullable H2Server serving) throws SQLException {
        if (closed) {
            close(serving);
            throw new SQLException("it was closed meanwhile");
        }
        server = serving;
        pool = opened;
    }

    private Connection connection() throws SQLException {
        HikariDataSource open = pool;
        if (open == null) {
            throw new SQLException("the database is not open yet");
        }
        return open.getConnection();
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

    /**
     * Reads in one transaction, all tables as of one instant. A query with a fetch size hands on its rows as they come, and never
     * holds all.
     */
    void stream(HandleConsumer<RuntimeException> reader) {
        jdbi.useTransaction(oneInstant(), handle -> {
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

    /**
     * Does something in a transaction in the name of somebody, for the history of changes. Whoever uses the connection next is
     * not taken for that one.
     */
    <T, X extends Exception> T as(String operator, Handle handle, Work<T, X> work) throws X {
        try {
            handle.execute(kind.sayWhoUntilTheEnd(), operator);
            return work.run();
        } finally {
            if (!kind.forgetWho().isEmpty()) {
                handle.execute(kind.forgetWho());
            }
        }
    }

    /** Waits until those have ended who were first to edit the policy, row by row, in a transaction. */
    void oneEditAtATime(Handle handle) {
        handle.createQuery(kind.oneEditAtATime()).mapToMap().list();
    }

    /** What has to be run after a commit that must survive whatever comes next. */
    String afterCommit() {
        return kind.afterCommit();
    }

    /** The isolation in which a transaction that only reads sees all tables as of one instant. */
    TransactionIsolationLevel oneInstant() {
        return kind.oneInstant();
    }

    /** What a failure says, as one line for people: without the statement that failed, and so without its data. */
    public static String reason(Throwable failure) {
        return DatabaseKind.reason(failure);
    }

    /** Closes everything, and takes the drivers that came with us out of the platform's list, which would outlive us. */
    @Override
    public synchronized void close() {
        closed = true;
        close(server);
        HikariDataSource open = pool;
        if (open != null) {
            open.close();
        }
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            if (driver.getClass().getClassLoader() == Database.class.getClassLoader()) {
                deregister(driver);
            }
        }
    }

    private static void close(@Nullable H2Server server) {
        if (server != null) {
            try {
                server.close();
            } catch (IOException e) {
                log.atWarn().addKeyValue("reason", e.toString()).log("database_port_file_left_behind");
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
            requireUtf8(patient);
            FluentConfiguration flyway = flyway(patient, kind);
            // Not locked by an open transaction, for which other nodes' statements could wait for ever.
            flyway.getConfigurationExtension(PostgreSQLConfigurationExtension.class)
                    .setTransactionalLock(false);
            flyway.load().migrate();
        }
    }

    /** Because a ban whose evidence the server cannot write down would wait for ever. */
    private static void requireUtf8(HikariDataSource source) {
        String encoding = Jdbi.create(source)
                .withHandle(handle -> handle.createQuery("SHOW server_encoding")
                        .mapTo(String.class)
                        .one());
        if (!encoding.equals("UTF8")) {
            throw new IllegalStateException("its encoding is " + encoding + ", and must be UTF8");
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
            log.atWarn().addKeyValue("reason", DatabaseKind.reason(e)).log("database_not_served");
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
            log.atWarn().addKeyValue("reason", e.toString()).log("driver_left_behind");
        }
    }
}
