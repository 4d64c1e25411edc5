package dev.weir.store;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** Which database a URL speaks of, and in what the two kinds differ. The one place where a driver is chosen. */
enum DatabaseKind {
    /** H2, in this process or behind its server. */
    H2("jdbc:h2:", "org.h2.Driver") {

        @Override
        List<String> migrations() {
            return List.of(COMMON, "classpath:db/migration/h2");
        }

        @Override
        String full(String url) throws DatabaseUnavailableException {
            return H2Url.of(url).full();
        }

        @Override
        @Nullable
        Path file(String url) throws DatabaseUnavailableException {
            return H2Url.of(url).file();
        }

        /** A commit has reached the operating system when it returns; this is for the power to fail as well. */
        @Override
        String afterCommit() {
            return "CHECKPOINT SYNC";
        }

        @Override
        String sayWho() {
            return "SET @weir_operator = ?";
        }

        @Override
        String sayWhoUntilTheEnd() {
            return sayWho();
        }

        @Override
        String forgetWho() {
            return "SET @weir_operator = NULL";
        }

        @Override
        String oneEditAtATime() {
            return "SELECT name FROM tool_tier ORDER BY name FOR UPDATE";
        }

        @Override
        String streamed() {
            return "SET LAZY_QUERY_EXECUTION 1";
        }

        @Override
        String collected() {
            return "SET LAZY_QUERY_EXECUTION 0";
        }

        /** "Repeatable read" freezes each table as it is first read, and not all of them at one instant. */
        @Override
        TransactionIsolationLevel oneInstant() {
            return TransactionIsolationLevel.SERIALIZABLE;
        }

        @Override
        Map<String, String> properties() {
            return Map.of();
        }

        @Override
        Map<String, String> atWork() {
            return Map.of();
        }

        @Override
        Driver driver() {
            H2Server.listenOnLoopbackOnly();
            return new org.h2.Driver();
        }
    },

    /** A PostgreSQL server. */
    POSTGRESQL("jdbc:postgresql:", "org.postgresql.Driver") {

        @Override
        List<String> migrations() {
            return List.of(COMMON, "classpath:db/migration/postgresql");
        }

        @Override
        String full(String url) {
            return url;
        }

        @Override
        @Nullable
        Path file(String url) {
            return null;
        }

        @Override
        String afterCommit() {
            return "";
        }

        @Override
        String sayWho() {
            return "SELECT set_config('weir.operator', ?, FALSE)";
        }

        @Override
        String sayWhoUntilTheEnd() {
            return "SELECT set_config('weir.operator', ?, TRUE)";
        }

        @Override
        String forgetWho() {
            return "";
        }

        @Override
        String oneEditAtATime() {
            return "SELECT pg_advisory_xact_lock(hashtext('weir.policy'))";
        }

        /** A query with a fetch size in a transaction is enough. */
        @Override
        String streamed() {
            return "";
        }

        @Override
        String collected() {
            return "";
        }

        /** One snapshot for the whole transaction, and nothing that could fail because others write. */
        @Override
        TransactionIsolationLevel oneInstant() {
            return TransactionIsolationLevel.REPEATABLE_READ;
        }

        @Override
        Map<String, String> properties() {
            return Map.of("ApplicationName", "weir", "connectTimeout", "2", "tcpKeepAlive", "true");
        }

        /**
         * A lock that is not had, or a server that has gone silent, must not hold a thread for as long as that lasts. What the
         * rows say that a server refuses is not for the log. The threshold makes the first use of a statement, too, transfer
         * numbers and times as such and not as text, which counts where a million rows are read at the start.
         */
        @Override
        Map<String, String> atWork() {
            return Map.of(
                    "socketTimeout",
                    "10",
                    "options",
                    "-c lock_timeout=2000",
                    "logServerErrorDetail",
                    "false",
                    "prepareThreshold",
                    "-1");
        }

        @Override
        Driver driver() {
            return new org.postgresql.Driver();
        }
    };

    private static final String COMMON = "classpath:db/migration/common";

    private final String scheme;

    /** Named, because a container does not find drivers inside a web application by their URLs. */
    private final String driverClass;

    DatabaseKind(String scheme, String driverClass) {
        this.scheme = scheme;
        this.driverClass = driverClass;
    }

    /** The kind that a URL speaks of. */
    static DatabaseKind of(String url) throws DatabaseUnavailableException {
        for (DatabaseKind kind : values()) {
            if (url.startsWith(kind.scheme)) {
                return kind;
            }
        }
        throw new DatabaseUnavailableException("database " + shown(url)
                + " is of no known kind: its URL must begin with " + H2.scheme + " or " + POSTGRESQL.scheme);
    }

    /** The URL with the options that Weir needs and the URL does not set itself. */
    abstract String full(String url) throws DatabaseUnavailableException;

    /** The path of a database that this process opens itself, without the ending of its file; null if it is elsewhere. */
    abstract @Nullable Path file(String url) throws DatabaseUnavailableException;

    /** What has to be run after a commit that must survive whatever comes next; empty if nothing. */
    abstract String afterCommit();

    /** A statement by which a connection says who is at its other end, for the history of changes. */
    abstract String sayWho();

    /** The same as {@link #sayWho}, for as long as a transaction lasts, if {@link #forgetWho} is run at its end. */
    abstract String sayWhoUntilTheEnd();

    /** What has to be run so that the next user of a connection is not taken for the one before; empty if nothing. */
    abstract String forgetWho();

    /** A query by which a transaction waits until those before it have ended that have run it too. */
    abstract String oneEditAtATime();

    /** What has to be run before a query that hands on its rows as they come; empty if nothing. */
    abstract String streamed();

    /** What has to be run so that queries do so no longer; empty if nothing. */
    abstract String collected();

    /** The isolation in which a transaction that only reads sees all tables as of one instant. */
    abstract TransactionIsolationLevel oneInstant();

    /** What every connection is given. */
    abstract Map<String, String> properties();

    /** What those are given besides that are used while Weir works. */
    abstract Map<String, String> atWork();

    abstract Driver driver();

    String driverClass() {
        return driverClass;
    }

    /** Where the migrations are. */
    abstract List<String> migrations();

    /** Opens one connection, beside any pool. */
    Connection connect(String url, String user, String password, Map<String, String> more) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(properties());
        properties.putAll(more);
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        Connection connection = driver().connect(url, properties);
        if (connection == null) {
            throw new SQLException("the driver does not take this URL");
        }
        return connection;
    }

    /** A URL without what it may carry of secrets: what follows its location. */
    static String shown(String url) {
        return url.split("[;?]", 2)[0].replaceFirst("//[^/@]*@", "//");
    }

    /** What a failure says, as one line without the statement that failed. */
    static String reason(Throwable failure) {
        Throwable deepest = failure;
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException || !(deepest instanceof SQLException)) {
                deepest = t;
            }
        }
        // The message of an I/O error is often no more than the name of a file.
        String message = deepest instanceof IOException ? deepest.toString() : String.valueOf(deepest.getMessage());
        int statement = message.indexOf("; SQL statement:");
        String line = (statement < 0 ? message : message.substring(0, statement))
                .replaceAll("\\s+", " ")
                .strip();
        return line.length() <= 400 ? line : line.substring(0, 400) + "…";
    }
}
