package dev.weir.app;

import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.run.KeyCommand;
import dev.weir.store.DatabaseHolder;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Keys that are made and revoked at the command line while Weir runs: what holds is in force without a restart. */
@Timeout(60)
class KeysInForceTest {

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        weir = RunningWeir.start(directory, upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    /** What the command prints. */
    private String command(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        KeyCommand command = new KeyCommand(conf -> DatabaseHolder.settings(directory), new SecureRandom());
        int code = new CommandLine(command)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        assertThat(code).as(err.toString()).isZero();
        return out.toString().strip();
    }

    private static int status(Wire wire, String key) throws IOException {
        wire.send(post(key, call(1, "echo")));
        return wire.answer().status();
    }

    private static void awaitStatus(Wire wire, String key, int status) {
        await().pollInterval(Duration.ofMillis(50)).until(() -> status(wire, key) == status);
    }

    @Test
    void aKeyIsGoodSoonAfterItIsMadeAndNoGoodSoonAfterItIsRevoked() throws Exception {
        String key = command("add", "ci", "--name", "CI");
        String other = command("add", "ci");
        try (Wire wire = weir.wire()) {
            awaitStatus(wire, key, 200);
            awaitStatus(wire, other, 200);
            command("revoke", "ci", ApiKey.digest(key).substring(0, 8));
            awaitStatus(wire, key, 401);
            assertThat(status(wire, other)).as("the client's other key").isEqualTo(200);
        }
    }

    @Test
    void aKeyIsGoodUpToTheInstantAtWhichItExpiresAndNotFromThenOn() throws Exception {
        String key = command("add", "c1", "--expires-in", "6s");
        Instant end = weir.database()
                .withHandle(handle -> handle.createQuery("SELECT expires_at FROM client_key WHERE sha256 = ?")
                        .bind(0, ApiKey.digest(key))
                        .mapTo(OffsetDateTime.class)
                        .one())
                .toInstant();
        try (Wire wire = weir.wire()) {
            awaitStatus(wire, key, 200);
            boolean after = false;
            while (!after) {
                Instant asked = Instant.now();
                int status = status(wire, key);
                after = !asked.isBefore(end);
                if (after) {
                    assertThat(status).isEqualTo(401);
                } else if (Instant.now().isBefore(end)) {
                    assertThat(status).isEqualTo(200);
                }
                await().pollDelay(Duration.ofMillis(20)).until(() -> true);
            }
        }
    }

    @Test
    void allKeysOfAClientShareItsQuota() throws Exception {
        weir.sql("UPDATE tool_tier SET rate_per_second = 0.001 WHERE name = 'heavy'");
        String first = command("add", "ci", "--name", "CI");
        String second = command("add", "ci", "--label", "the other one");
        try (Wire wire = weir.wire()) {
            awaitStatus(wire, second, 200);
            for (int i = 0; i < 5; i++) {
                wire.send(post(first, call(i, "T1")));
                assertThat(wire.answer().body()).contains("\"result\"");
            }
            wire.send(post(second, call(6, "T1")));
            assertThat(wire.answer().body()).contains("-32029");
        }
    }
}
