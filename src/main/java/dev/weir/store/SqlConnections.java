package dev.weir.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import org.h2.api.ErrorCode;

/** Single connections for a person at a command line, beside a running Weir or without one. Never migrates, never creates. */
public final class SqlConnections {

    private SqlConnections() {}

    /**
     * Opens one connection.
     *
     * @param operator who is at the other end, for the history of changes
     * @throws DatabaseUnavailableException with the reason as one sentence
     */
    public static Connection open(DatabaseSettings settings, String operator) throws DatabaseUnavailableException {
        try {
            Connection connection = open(settings);
            try (PreparedStatement statement =
                    connection.prepareStatement(DatabaseKind.of(settings.url()).sayWho())) {
                statement.setString(1, operator);
                statement.execute();
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            return connection;
        } catch (SQLException e) {
            throw Database.unavailable(settings, e);
        }
    }

    private static Connection open(DatabaseSettings settings) throws DatabaseUnavailableException {
        DatabaseKind kind = DatabaseKind.of(settings.url());
        Path file = kind.file(settings.url());
        try {
            if (file == null) {
                String url = kind == DatabaseKind.H2 ? H2Url.of(settings.url()).existing() : settings.url();
                String password = settings.password() == null ? "" : settings.password();
                return kind.connect(url, settings.user(), password, Map.of());
            }
            if (!Files.exists(H2Url.onDisk(file))) {
                throw new DatabaseUnavailableException(
                        "database " + DatabaseKind.shown(settings.url()) + " does not exist: there is no file "
                                + H2Url.onDisk(file) + " (Weir makes it at its first start)");
            }
            return openFile(settings, H2Url.of(settings.url()), file);
        } catch (SQLException | IOException e) {
            throw Database.unavailable(settings, e);
        }
    }

    private static Connection openFile(DatabaseSettings settings, H2Url url, Path file)
            throws SQLException, IOException, DatabaseUnavailableException {
        String password = DatabasePassword.find(settings, file);
        try {
            // The file first, because its lock says for certain whether a Weir is running. A port file may have
            // outlived
            // its Weir, and the port may by now be that of somebody who should not be shown a password.
            return DatabaseKind.H2.connect(url.existing(), settings.user(), password, Map.of());
        } catch (SQLException e) {
            Integer port = H2Server.port(settings.dataDir());
            if (e.getErrorCode() != ErrorCode.DATABASE_ALREADY_OPEN_1 || port == null) {
                throw e;
            }
            return DatabaseKind.H2.connect(url.served(port, file), settings.user(), password, Map.of());
        }
    }
}
