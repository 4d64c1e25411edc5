package dev.weir.store;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Which database a URL speaks of. The one place where a driver is chosen. */
enum DatabaseKind {
    /** H2, in this process or behind its server. */
    H2("jdbc:h2:", "org.h2.Driver", "CHECKPOINT SYNC");

    private final String scheme;

    /** Named, because a container does not find drivers inside a web application by their URLs. */
    private final String driverClass;

    private final String afterCommit;

    DatabaseKind(String scheme, String driverClass, String afterCommit) {
        this.scheme = scheme;
        this.driverClass = driverClass;
        this.afterCommit = afterCommit;
    }

    /** The kind that a URL speaks of. */
    static DatabaseKind of(String url) throws DatabaseUnavailableException {
        for (DatabaseKind kind : values()) {
            if (url.startsWith(kind.scheme)) {
                return kind;
            }
        }
        throw new DatabaseUnavailableException(
                "database " + shown(url) + " is of no known kind: its URL must begin with jdbc:h2:");
    }

    String driverClass() {
        return driverClass;
    }

    /**
     * What has to be run after a commit that must survive whatever comes next. A commit of H2 has reached the operating system
     * when it returns; this is for the power to fail as well.
     */
    String afterCommit() {
        return afterCommit;
    }

    /** Opens one connection, beside any pool. */
    Connection connect(String url, String user, String password) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        H2Server.listenOnLoopbackOnly();
        Connection connection = new org.h2.Driver().connect(url, properties);
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
