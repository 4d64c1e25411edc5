package dev.weir.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.Child;
import dev.weir.store.Database;
import dev.weir.store.DatabaseHolder;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.JdbcPolicyStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SqlCommandTest {

    private static final String TIERS = "SELECT name FROM tool_tier ORDER BY name";
    private static final String THREE_TIERS = "name\n--------\nheavy\nlight\nstandard\n";

    @TempDir
    Path directory;

    private final AtomicReference<Optional<Path>> conf = new AtomicReference<>();
    private @Nullable DatabaseSettings settings;
    private String out = "";
    private String err = "";

    @Test
    void beforeTheFirstStartItSaysThatThereIsNoDatabase() {
        assertThat(run(TIERS)).isEqualTo(2);
        assertThat(err)
                .isEqualTo("weir sql: database jdbc:h2:file:" + directory.resolve("weir")
                        + " does not exist: there is no file " + directory.resolve("weir.mv.db")
                        + " (Weir makes it at its first start)\n");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void itRunsWhileNoWeirDoes() throws Exception {
        Database.open(DatabaseHolder.settings(directory)).close();
        assertThat(run(TIERS)).isZero();
        assertThat(out).isEqualTo(THREE_TIERS);
        assertThat(run("UPDATE tool_tier SET burst = 6 WHERE name = 'heavy'")).isZero();
        assertThat(out).isEqualTo("1 row changed\n");
        run("SELECT burst FROM tool_tier WHERE name = 'heavy'");
        assertThat(out).isEqualTo("burst\n-----\n6\n");
    }

    @Test
    void itRunsBesideAWeirInAnotherProcessAndAfterThatWasKilled() throws Exception {
        try (Child child = Child.start(DatabaseHolder.class, directory.toString())) {
            assertThat(child.await("open")).isNotNull();
            assertThat(run(TIERS)).as(err).isZero();
            assertThat(out).isEqualTo(THREE_TIERS);
            assertThat(run("INSERT INTO setting (name, content) VALUES ('n', '1')"))
                    .isZero();
        }
        assertThat(directory.resolve("db-port"))
                .as("left by the one that was killed")
                .exists();
        assertThat(run("SELECT content FROM setting")).as(err).isZero();
        assertThat(out).isEqualTo("content\n-------\n1\n");
    }

    @Test
    void itRunsBesideAWeirInTheSameProcess() throws Exception {
        try (Database database = Database.open(DatabaseHolder.settings(directory))) {
            assertThat(run("INSERT INTO setting (name, content) VALUES ('n', '1')"))
                    .isZero();
            assertThat(database.jdbi()
                            .<String, RuntimeException>withHandle(
                                    handle -> handle.createQuery("SELECT content FROM setting")
                                            .mapTo(String.class)
                                            .one()))
                    .isEqualTo("1");
        }
    }

    @Test
    void whatIsWrongWithTheStatementIsOneLine() throws Exception {
        Database.open(DatabaseHolder.settings(directory)).close();
        assertThat(run("INSERT INTO tool_tier (name, rate_per_second, burst)\n VALUES ('x', -1, 1)"))
                .isEqualTo(2);
        assertThat(out).isEmpty();
        assertThat(err).startsWith("weir sql: ").contains("tool_tier_rate_from_0_to_1000000", "INSERT INTO tool_tier");
        assertThat(err.lines()).hasSize(1);
    }

    @Test
    void aPasswordThatDoesNotFitIsOneLineToo() throws Exception {
        Database.open(DatabaseHolder.settings(directory)).close();
        Files.writeString(directory.resolve("db-password"), "wrong");
        assertThat(run(TIERS)).isEqualTo(2);
        assertThat(err.lines()).singleElement().asString().contains("wrong user name or password (user weir)");
    }

    @Test
    void onPostgresqlItRunsWithoutAWeirAndBesideOne() throws Exception {
        settings = DatabaseUnderTest.POSTGRESQL.fresh(directory);
        Database.open(settings).close();
        assertThat(run(TIERS)).as(err).isZero();
        assertThat(out).isEqualTo(THREE_TIERS);
        try (Database database = Database.open(settings)) {
            assertThat(
                            run(
                                    "INSERT INTO setting (name, content) VALUES ('n', '1;2'); -- and; then\nSELECT content FROM setting"))
                    .as(err)
                    .isZero();
            assertThat(out).isEqualTo("1 row changed\ncontent\n-------\n1;2\n");
            assertThat(new JdbcPolicyStore(database).load().settings()).hasSize(1);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void onPostgresqlAFailureIsOneLineAndNothingIsChanged() throws Exception {
        settings = DatabaseUnderTest.POSTGRESQL.fresh(directory);
        assertThat(run(TIERS)).isEqualTo(2);
        assertThat(err.lines()).singleElement().asString().contains("relation \"tool_tier\" does not exist");
        Database.open(settings).close();
        assertThat(
                        run(
                                "DELETE FROM tool_tier; INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('x', -1, 1)"))
                .isEqualTo(2);
        assertThat(err.lines()).singleElement().asString().contains("tool_tier_rate_from_0_to_1000000");
        run(TIERS);
        assertThat(out).isEqualTo(THREE_TIERS);
    }

    @Test
    void onPostgresqlItSaysWhyThereIsNoConnection() {
        DatabaseSettings right = DatabaseUnderTest.POSTGRESQL.fresh(directory);
        settings = new DatabaseSettings(right.url(), right.user(), "wrong", directory, 2);
        assertThat(run(TIERS)).isEqualTo(2);
        assertThat(err)
                .isEqualTo("weir sql: database " + right.url() + " cannot be opened: wrong user name or password (user "
                        + right.user() + ")\n");
        settings =
                new DatabaseSettings("jdbc:postgresql://127.0.0.1:1/weir?password=secret", "weir", null, directory, 2);
        assertThat(run(TIERS)).isEqualTo(2);
        assertThat(err.lines()).singleElement().asString().contains("refused").doesNotContain("secret");
    }

    @Test
    void theFileOfSettingsIsHandedOn() {
        run(TIERS);
        assertThat(conf).hasValue(Optional.empty());
        run("--conf", "some/weir.properties", TIERS);
        assertThat(conf).hasValue(Optional.of(Path.of("some/weir.properties")));
    }

    private int run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        SqlCommand command = new SqlCommand(file -> {
            conf.set(file);
            return settings == null ? DatabaseHolder.settings(directory) : settings;
        });
        int code = new CommandLine(command)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        this.out = out.toString();
        this.err = err.toString();
        return code;
    }
}
