package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseTest {

    @TempDir
    Path directory;

    @Test
    void aFreshFileIsMigratedAndKeepsItsRowsWhenItIsOpenedAgain() throws Exception {
        try (Database database = Database.open(settings())) {
            assertThat(tiers(database)).containsExactly("heavy 2.0 5 30", "light 30.0 60 0", "standard 10.0 20 0");
            database.jdbi().useHandle(h -> h.execute("UPDATE tool_tier SET burst = 6 WHERE name = 'heavy'"));
        }
        try (Database database = Database.open(settings())) {
            assertThat(tiers(database)).first().isEqualTo("heavy 2.0 6 30");
        }
    }

    @Test
    void thePasswordIsMadeOnceAndNobodyElseCanReadIt() throws Exception {
        Path data = directory.resolve("new/data");
        DatabaseSettings settings = new DatabaseSettings("jdbc:h2:file:" + data.resolve("weir"), "weir", null, data, 2);
        Database.open(settings).close();
        String password = Files.readString(data.resolve("db-password"));
        assertThat(password.strip()).hasSizeGreaterThanOrEqualTo(32);
        assertThat(permissions(data.resolve("db-password"))).isEqualTo("rw-------");
        assertThat(permissions(data)).isEqualTo("rwx------");

        Database.open(settings).close();
        assertThat(data.resolve("db-password")).hasContent(password);
    }

    @Test
    void aPasswordThatIsSetIsUsedAndNotWrittenDown() throws Exception {
        Database.open(settings("secret")).close();
        assertThat(directory.resolve("db-password")).doesNotExist();
        assertThatThrownBy(() -> Database.open(settings("other")))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessage("database jdbc:h2:file:" + directory.resolve("weir")
                        + " cannot be opened: wrong user name or password (user weir)");
        Database.open(settings("secret")).close();
    }

    @Test
    void aLostPasswordIsNotReplacedByOneThatCannotBeRight() throws Exception {
        Database.open(settings()).close();
        Files.delete(directory.resolve("db-password"));
        assertThatThrownBy(() -> Database.open(settings()))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessageContaining("no password is set")
                .hasMessageContaining("db-password");
        assertThat(directory.resolve("db-password")).doesNotExist();
    }

    @Test
    void aSecondProcessIsToldThatTheFileIsInUse() throws Exception {
        try (Child child = Child.start(DatabaseHolder.class, directory.toString())) {
            assertThat(child.await("open")).isNotNull();
            assertThatThrownBy(() -> Database.open(settings()))
                    .isInstanceOf(DatabaseUnavailableException.class)
                    .hasMessage("database jdbc:h2:file:" + directory.resolve("weir")
                            + " cannot be opened: already in use by another process");
        }
        Database.open(settings()).close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:h2:mem:x;PASSWORD=secret;AUTO_SERVER=TRUE | AUTO_SERVER",
                "jdbc:oracle:thin:@//host/x?password=secret | must begin with jdbc:h2:",
                "jdbc:h2:tcp://127.0.0.1:1/x;PASSWORD=secret | Connection refused",
            })
    void whyItCannotBeOpenedIsOneLineWithoutSecrets(String url, String reason) {
        assertThatThrownBy(() -> Database.open(new DatabaseSettings(url, "weir", "secret", directory, 2)))
                .isInstanceOf(DatabaseUnavailableException.class)
                .message()
                .contains(reason)
                .doesNotContain("secret")
                .doesNotContain("\n");
    }

    @Test
    void aDatabaseWhoseMigrationsDifferIsNotOpened() throws Exception {
        try (Database database = Database.open(settings())) {
            database.jdbi().useHandle(h -> h.execute("UPDATE \"flyway_schema_history\" SET \"checksum\" = 1"));
        }
        assertThatThrownBy(() -> Database.open(settings()))
                .isInstanceOf(DatabaseUnavailableException.class)
                .message()
                .contains("checksum mismatch")
                .doesNotContain("\n");
    }

    @Test
    void aPostgresqlDatabaseThatCannotHoldEveryTextIsNotOpened() {
        PostgresServer server = PostgresServer.running();
        DatabaseSettings settings = server.fresh(directory);
        server.administer("DROP DATABASE " + settings.user());
        server.administer("CREATE DATABASE " + settings.user() + " OWNER " + settings.user()
                + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        assertThatThrownBy(() -> Database.open(settings))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessage(
                        "database " + settings.url() + " cannot be opened: its encoding is LATIN1, and must be UTF8");
    }

    @Test
    void theServerListensOnOneLoopbackAddressOnlyAndEndsWithTheDatabase() throws Exception {
        int port;
        try (Database database = Database.open(settings())) {
            assertThat(database.jdbi()).isNotNull();
            port = port();
            assertThat(permissions(directory.resolve("db-port"))).isEqualTo("rw-------");
            connect("127.0.0.1", port);
            // On Linux 127.0.0.2 is this machine too: only a server that is bound to 127.0.0.1 alone is not there.
            assertThatThrownBy(() -> connect("127.0.0.2", port)).isInstanceOf(IOException.class);
        }
        assertThat(directory.resolve("db-port")).doesNotExist();
        assertThatThrownBy(() -> connect("127.0.0.1", port)).isInstanceOf(IOException.class);
    }

    @Test
    void theServerServesThisDatabaseToWhoKnowsItsPassword() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Database.open(new DatabaseSettings("jdbc:h2:file:" + elsewhere.resolve("weir"), "weir", "pw", elsewhere, 2))
                .close();
        Path data = Files.createDirectory(directory.resolve("data"));
        DatabaseSettings settings = new DatabaseSettings("jdbc:h2:file:" + data.resolve("weir"), "weir", "pw", data, 2);
        try (Database database = Database.open(settings)) {
            assertThat(database.jdbi()).isNotNull();
            String server = "jdbc:h2:tcp://127.0.0.1:"
                    + Files.readString(data.resolve("db-port")).strip() + "/";
            String options = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE";
            try (Connection connection = tcp(server + "weir" + options, "pw")) {
                assertThat(connection.isValid(1)).isTrue();
            }
            assertThatThrownBy(() -> tcp(server + "weir" + options, "wrong"))
                    .hasMessageContaining("Wrong user name or password");
            assertThatThrownBy(() -> tcp(server + "weir" + options, ""))
                    .hasMessageContaining("Wrong user name or password");
            assertThatThrownBy(() -> tcp(server + "another" + options, "pw")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> tcp(server + "mem:another" + options, "pw"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> tcp(server + "../elsewhere/weir" + options, "pw"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> tcp(server + elsewhere + "/weir" + options, "pw"))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void itsDriversDoNotOutliveIt() throws Exception {
        Database database = Database.open(settings());
        DriverManager.registerDriver(new org.h2.Driver());
        database.close();
        assertThat(Collections.list(DriverManager.getDrivers()))
                .noneMatch(driver -> driver.getClass().getClassLoader() == Database.class.getClassLoader());
        Database.open(settings()).close();
    }

    private DatabaseSettings settings() {
        return settings(null);
    }

    private DatabaseSettings settings(@Nullable String password) {
        return new DatabaseSettings("jdbc:h2:file:" + directory.resolve("weir"), "weir", password, directory, 2);
    }

    private static List<String> tiers(Database database) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery(
                                "SELECT name, rate_per_second, burst, cooldown_seconds FROM tool_tier ORDER BY name")
                        .map((row, context) ->
                                row.getString(1) + " " + row.getDouble(2) + " " + row.getLong(3) + " " + row.getInt(4))
                        .list());
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private int port() throws IOException {
        return Integer.parseInt(Files.readString(directory.resolve("db-port")).strip());
    }

    private static void connect(String address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 2_000);
        }
    }

    private static Connection tcp(String url, String password) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "weir");
        properties.setProperty("password", password);
        return new org.h2.Driver().connect(url, properties);
    }
}
