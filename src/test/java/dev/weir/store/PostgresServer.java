package dev.weir.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.Driver;

/** A PostgreSQL server on loopback, started once for all tests of this process and stopped with it. */
public final class PostgresServer {

    private static final class Shared {
        static final PostgresServer SERVER = start();
    }

    private final EmbeddedPostgres server;
    private final AtomicInteger databases = new AtomicInteger();
    private final List<String> left = new ArrayList<>();

    private PostgresServer(EmbeddedPostgres server) {
        this.server = server;
    }

    public static PostgresServer running() {
        return Shared.SERVER;
    }

    private static PostgresServer start() {
        return start(EmbeddedPostgres.builder());
    }

    /** A server of a test's own, which it may stop. */
    public static PostgresServer in(Path dataDirectory) {
        return start(EmbeddedPostgres.builder().setDataDirectory(dataDirectory).setCleanDataDirectory(false));
    }

    /** Starts it again in the same directory and on the same port after {@link #stop}. */
    public static PostgresServer again(Path dataDirectory, int port) {
        return start(EmbeddedPostgres.builder()
                .setDataDirectory(dataDirectory)
                .setCleanDataDirectory(false)
                .setPort(port));
    }

    private static PostgresServer start(EmbeddedPostgres.Builder builder) {
        try {
            // Whatever database was closed before has taken it off the list.
            DriverManager.registerDriver(new Driver());
            EmbeddedPostgres server = builder.setServerConfig("listen_addresses", "127.0.0.1")
                    .setServerConfig("fsync", "off")
                    .start();
            PostgresServer started = new PostgresServer(server);
            started.askForPasswords();
            return started;
        } catch (IOException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stops it, cutting all connections. */
    public void stop() throws IOException {
        server.close();
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return server.getPort();
    }

    /** As a real server does, and not like the one that was started here. */
    private void askForPasswords() throws IOException {
        Files.writeString(
                Path.of(text("SHOW hba_file")),
                "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
        administer("SELECT pg_reload_conf()");
    }

    /** Makes an empty database, and a role that owns nothing else. Drops those that nobody is connected to any more. */
    public synchronized DatabaseSettings fresh(Path directory) {
        left.removeIf(this::drop);
        String name = "weir_" + databases.incrementAndGet();
        left.add(name);
        administer("CREATE ROLE " + name + " LOGIN PASSWORD 'secret of " + name + "'");
        administer("CREATE DATABASE " + name + " OWNER " + name);
        return settings(name, port(), directory);
    }

    /** Hundreds of databases would be more files than can be deleted in the time that a process has for its end. */
    private boolean drop(String name) {
        if (number("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '" + name + "'") > 0) {
            return false;
        }
        administer("DROP DATABASE " + name);
        return true;
    }

    /** The settings for a database of {@link #fresh}, seen through another port. */
    public static DatabaseSettings settings(String name, int port, Path directory) {
        String url = "jdbc:postgresql://127.0.0.1:" + port + "/" + name;
        return new DatabaseSettings(url, name, "secret of " + name, directory, 4);
    }

    /** Runs a statement as the owner of the server. */
    public void administer(String sql) {
        try (Connection connection = new Driver().connect(server.getJdbcUrl("postgres", "postgres"), new Properties());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The one number that a query of the owner of the server gives. */
    public long number(String sql) {
        return Long.parseLong(text(sql));
    }

    private String text(String sql) {
        try (Connection connection = new Driver().connect(server.getJdbcUrl("postgres", "postgres"), new Properties());
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
