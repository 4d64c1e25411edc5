package dev.weir.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.ApiKey;
import dev.weir.store.Database;
import dev.weir.store.DatabaseHolder;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Keys made, listed and revoked at the command line, with a Weir beside it or without. */
class KeyCommandTest {

    @TempDir
    Path directory;

    private @Nullable DatabaseSettings settings;
    private String out = "";
    private String err = "";

    private int run(String... arguments) {
        StringWriter stdout = new StringWriter();
        StringWriter stderr = new StringWriter();
        int code = new CommandLine(new KeyCommand(conf -> settings(), new SecureRandom()))
                .setOut(new PrintWriter(stdout))
                .setErr(new PrintWriter(stderr))
                .execute(arguments);
        out = stdout.toString();
        err = stderr.toString();
        return code;
    }

    private DatabaseSettings settings() {
        return Objects.requireNonNull(settings, "the test has named no database");
    }

    private void empty(DatabaseUnderTest kind) throws Exception {
        settings = kind.fresh(directory);
        Database.open(settings()).close();
    }

    private List<String> rows(String sql) throws Exception {
        try (Database database = Database.open(settings())) {
            return database.jdbi()
                    .withHandle(handle ->
                            handle.createQuery(sql).mapTo(String.class).list());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyIsShownOnceAndKeptAsItsDigest(DatabaseUnderTest kind) throws Exception {
        empty(kind);
        assertThat(run("add", "ci", "--name", "Agent of the CI", "--label", "it's the first"))
                .as(err)
                .isZero();
        String key = out.strip();
        String digest = ApiKey.digest(key);
        assertThat(out).matches("weir_[A-Za-z0-9_-]{43}\\R");
        assertThat(err)
                .contains(digest.substring(0, 8), "ci", "not shown again")
                .doesNotContain(key);
        assertThat(rows("SELECT id || '/' || name FROM client")).containsExactly("ci/Agent of the CI");
        assertThat(rows("SELECT sha256 || '/' || client || '/' || label FROM client_key WHERE expires_at IS NULL"))
                .containsExactly(digest + "/ci/it's the first");
        assertThat(rows("SELECT DISTINCT changed_by FROM admin_event WHERE table_name = 'client_key'"))
                .containsExactly("key: " + System.getProperty("user.name"));

        assertThat(run("add", "ci", "--name", "another name")).as(err).isZero();
        assertThat(out.strip()).isNotEqualTo(key);
        assertThat(rows("SELECT name FROM client")).containsExactly("Agent of the CI");

        assertThat(run("list")).isZero();
        assertThat(out)
                .contains(digest.substring(0, 8), "ci", "it's the first")
                .doesNotContain(key, digest.substring(0, 9));
        assertThat(out.lines()).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource
    void aKeyHoldsForAsLongAsItIsTold(DatabaseUnderTest kind) throws Exception {
        empty(kind);
        for (String time : List.of("45s", "30m", "12h", "90d", "2w")) {
            assertThat(run("add", "ci", "--name", "ci", "--label", time, "--expires-in", time))
                    .as(err)
                    .isZero();
        }
        String seconds = "CAST(EXTRACT(EPOCH FROM expires_at) - EXTRACT(EPOCH FROM created_at) AS INT)";
        assertThat(rows("SELECT label || '/' || " + seconds + " FROM client_key"))
                .containsExactlyInAnyOrder("45s/45", "30m/1800", "12h/43200", "90d/7776000", "2w/1209600");
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheOneKeyThatIsMeantIsRevoked(DatabaseUnderTest kind) throws Exception {
        empty(kind);
        List<String> digests = new ArrayList<>();
        for (String client : List.of("a", "a", "b")) {
            run("add", client, "--name", client);
            digests.add(ApiKey.digest(out.strip()));
        }
        assertThat(run("revoke", "b", digests.get(0).substring(0, 8))).isEqualTo(2);
        assertThat(err).contains("no key of client [b]", "nothing was changed");
        assertThat(run("revoke", "a", digests.get(0).substring(0, 8))).as(err).isZero();
        assertThat(out).isEqualTo("1 key revoked" + System.lineSeparator());
        assertThat(rows("SELECT sha256 FROM client_key WHERE revoked_at IS NOT NULL"))
                .containsExactly(digests.get(0));
        assertThat(run("revoke", "a", digests.get(0))).as("once more").isEqualTo(2);
        assertThat(run("list", "a")).isZero();
        assertThat(out)
                .contains(digests.get(0).substring(0, 8), digests.get(1).substring(0, 8))
                .doesNotContain(digests.get(2).substring(0, 8));
    }

    @ParameterizedTest
    @EnumSource
    void aBeginningThatTwoKeysHaveRevokesNeither(DatabaseUnderTest kind) throws Exception {
        empty(kind);
        try (Database database = Database.open(settings())) {
            database.jdbi().useHandle(handle -> {
                handle.execute("INSERT INTO client (id, name) VALUES ('a', 'a')");
                for (String end : List.of("0", "1")) {
                    handle.execute(
                            "INSERT INTO client_key (sha256, client) VALUES (?, 'a')", "abcd".repeat(15) + "000" + end);
                }
            });
        }
        assertThat(run("revoke", "a", "abcd")).isEqualTo(2);
        assertThat(err).contains("2 keys of client [a] begin with abcd", "nothing was changed");
        assertThat(rows("SELECT sha256 FROM client_key WHERE revoked_at IS NOT NULL"))
                .isEmpty();
    }

    @Test
    void whatIsWrongIsOneLine() throws Exception {
        empty(DatabaseUnderTest.H2);
        assertThat(run("add", "nobody")).isEqualTo(2);
        assertThat(err)
                .isEqualTo("weir key: there is no client [nobody]; --name NAME makes it" + System.lineSeparator());
        assertThat(out).isEmpty();
        assertThat(rows("SELECT sha256 FROM client_key")).isEmpty();
        assertThat(run("add", "x".repeat(65), "--name", "too long")).isEqualTo(2);
        assertThat(err.lines()).singleElement().asString().startsWith("weir key: ");
        assertThat(out).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"90", "d", "0d", "-1d", "1.5h", "90 d", "90D", "1000000d", "1y"})
    void aTimeThatIsNoneIsNamed(String time) throws Exception {
        settings = DatabaseHolder.settings(directory);
        assertThat(run("add", "ci", "--expires-in=" + time)).isEqualTo(2);
        assertThat(err).contains("[" + time + "] is no time");
    }

    @Test
    void aBeginningThatIsNoneIsNamed() throws Exception {
        empty(DatabaseUnderTest.H2);
        for (String prefix : List.of("", "abc", "ABCD", "abcg", "%%%%", "____", "abcd%")) {
            assertThat(run("revoke", "ci", prefix)).isEqualTo(2);
            assertThat(err).contains("[" + prefix + "] is not the beginning of a digest");
        }
    }

    @Test
    void aloneTheCommandSaysWhatThereIs() {
        assertThat(run()).isEqualTo(2);
        assertThat(err).contains("key add, key list or key revoke?");
        assertThat(run("--help")).isZero();
        assertThat(out).contains("add", "list", "revoke");
    }
}
