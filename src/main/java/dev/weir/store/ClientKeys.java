package dev.weir.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * The keys of clients, for a person at a command line. Each method is one transaction. Times are those of the database.
 *
 * <p>For one thread.
 */
public final class ClientKeys {

    /** Says in one line why nothing was changed. */
    public static final class UnusableException extends Exception {
        UnusableException(String message) {
            super(message);
        }
    }

    private static final String LIST =
            "SELECT SUBSTRING(sha256, 1, 8) AS digest, client, label, created_at, expires_at,"
                    + " revoked_at FROM client_key";

    private final Connection connection;

    /** @param connection closed by whoever has opened it */
    public ClientKeys(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    /**
     * Adds a key to a client.
     *
     * @param name   the name of a new client of this id, if there is none yet; null if there has to be one
     * @param digest as {@link dev.weir.auth.ApiKey#digest} makes it
     * @param holds  for how long; null for ever
     * @throws UnusableException if there is no such client, and none is to be made
     */
    public void add(String client, @Nullable String name, String digest, String label, @Nullable Duration holds)
            throws SQLException, UnusableException {
        try {
            if (!exists(client)) {
                if (name == null) {
                    throw new UnusableException("there is no client [" + client + "]; --name NAME makes it");
                }
                update("INSERT INTO client (id, name) VALUES (?, ?)", client, name);
            }
            OffsetDateTime now = now();
            OffsetDateTime end = holds == null ? null : now.plus(holds);
            update(
                    "INSERT INTO client_key (sha256, client, label, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
                    digest,
                    client,
                    label,
                    now,
                    end);
            connection.commit();
        } finally {
            connection.rollback();
        }
    }

    /** Prints the keys of a client, or all; of each the beginning of its digest, and never more. */
    public void list(@Nullable String client, SqlConsole console) throws SQLException {
        String order = " ORDER BY client, created_at, sha256";
        try (PreparedStatement statement =
                connection.prepareStatement(LIST + (client == null ? "" : " WHERE client = ?") + order)) {
            if (client != null) {
                statement.setString(1, client);
            }
            try (ResultSet keys = statement.executeQuery()) {
                console.print(keys);
            }
        } finally {
            connection.rollback();
        }
    }

    /**
     * Revokes a key.
     *
     * @param prefix the beginning of its digest, as long as it takes to be the only one
     * @throws UnusableException if there is no key that begins so and holds, or more than one
     */
    public void revoke(String client, String prefix) throws SQLException, UnusableException {
        if (!prefix.matches("[0-9a-f]{4,64}")) {
            throw new UnusableException(
                    "[" + prefix + "] is not the beginning of a digest: 4 to 64 small hexadecimal digits");
        }
        try {
            int revoked = update(
                    "UPDATE client_key SET revoked_at = ? WHERE client = ? AND sha256 LIKE ? AND revoked_at IS NULL",
                    now(),
                    client,
                    prefix + "%");
            if (revoked != 1) {
                throw new UnusableException((revoked == 0 ? "no key" : revoked + " keys") + " of client [" + client
                        + "] begin with " + prefix + " and are not revoked; nothing was changed");
            }
            connection.commit();
        } finally {
            connection.rollback();
        }
    }

    private boolean exists(String client) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT 1 FROM client WHERE id = ?")) {
            statement.setString(1, client);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
    }

    private OffsetDateTime now() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_TIMESTAMP")) {
            row.next();
            return row.getObject(1, OffsetDateTime.class);
        }
    }

    private int update(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
