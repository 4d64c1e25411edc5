package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The setting {@code mcp.rate-limit.key-strategy} says who shares with whom: seen at a channel of two calls. */
@Timeout(60)
class KeyStrategyTest {

    /** Another key of the client {@code c1}. */
    private static final String K1B = "weir_test-other-key-of-c1";

    @TempDir
    Path directory;

    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    /** A Weir in which each may send two calls, and in which {@link #K1B} and more rows are in force. */
    private RunningWeir weir(String strategy, String authRequired, String... statements) throws Exception {
        RunningWeir weir = RunningWeir.start(
                directory,
                upstream.base(),
                "mcp.rate-limit.key-strategy",
                strategy,
                "mcp.auth.required",
                authRequired,
                "mcp.rate-limit.requests-per-second",
                "0.001",
                "mcp.rate-limit.burst-size",
                "2");
        weir.database().useTransaction(handle -> {
            handle.execute("INSERT INTO client_key (sha256, client) VALUES (?, 'c1')", ApiKey.digest(K1B));
            for (String statement : statements) {
                handle.execute(statement);
            }
        });
        try (Wire wire = weir.wire()) {
            await().until(() -> {
                wire.send(post(K1B, "").replace("POST /mcp", "POST /nowhere"));
                return wire.answer().status() == 404;
            });
        }
        return weir;
    }

    private static Wire.Answer ask(Wire wire, String key, String agent, String body) throws IOException {
        String request = post(key, body, "User-Agent: " + agent + "\r\n");
        wire.send(key.isEmpty() ? request.replace("Authorization: Bearer \r\n", "") : request);
        return wire.answer();
    }

    private static boolean isServed(Wire wire, String key, String agent) throws IOException {
        return ask(wire, key, agent, call(1, "echo")).body().contains("\"result\"");
    }

    /** Uses up the channel of a caller. */
    private static void drain(Wire wire, String key, String agent) throws IOException {
        assertThat(isServed(wire, key, agent)).isTrue();
        assertThat(isServed(wire, key, agent)).isTrue();
        assertThat(isServed(wire, key, agent)).isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // strategy, and who has nothing left when c1 has used up its own with its first key as agent-1:
        // its other key, its other User-Agent, another client from the same address as agent-1
        "client, false, false, true",
        "ip, false, false, false",
        "api_key, true, false, true",
        "ip_user_agent, false, true, false"
    })
    void theStrategySaysWhoSharesWithWhom(String strategy, boolean otherKey, boolean otherAgent, boolean otherClient)
            throws Exception {
        try (RunningWeir weir = weir(strategy, "true");
                Wire wire = weir.wire()) {
            drain(wire, K1, "agent-1");
            assertThat(isServed(wire, K1B, "agent-1")).as("another key").isEqualTo(otherKey);
            assertThat(isServed(wire, K1, "agent-2")).as("another User-Agent").isEqualTo(otherAgent);
            assertThat(isServed(wire, K2, "agent-1")).as("another client").isEqualTo(otherClient);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"client, false", "ip, false", "api_key, false", "ip_user_agent, true"})
    void anonymousCallersShareTheirAddressUnlessTheirUserAgentCounts(String strategy, boolean otherAgent)
            throws Exception {
        try (RunningWeir weir = weir(strategy, "false");
                Wire wire = weir.wire()) {
            drain(wire, "", "agent-1");
            assertThat(isServed(wire, "", "agent-2")).isEqualTo(otherAgent);
            assertThat(isServed(wire, K1, "agent-1"))
                    .as("a client at the same address")
                    .isEqualTo(strategy.equals("client") || strategy.equals("api_key"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "ip", "api_key", "ip_user_agent"})
    void guessersAreCountedUnderTheirAddressWhateverTheStrategy(String strategy) throws Exception {
        try (RunningWeir weir = weir(strategy, "true");
                Wire wire = weir.wire()) {
            int refused = 0;
            for (int i = 0; i < 100; i++) {
                refused +=
                        ask(wire, "guess-" + i, "agent-" + i, call(1, "echo")).status() == 429 ? 1 : 0;
            }
            assertThat(refused).isPositive();
            assertThat(isServed(wire, K1, "agent-1")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "ip", "api_key", "ip_user_agent"})
    void anExemptClientIsExemptWhateverTheStrategyAndNobodyElseIs(String strategy) throws Exception {
        try (RunningWeir weir = weir(strategy, "false", "UPDATE client SET exempt = TRUE WHERE id = 'c1'");
                Wire wire = weir.wire()) {
            for (int i = 0; i < 20; i++) {
                assertThat(isServed(wire, K1, "agent-1")).isTrue();
            }
            drain(wire, K2, "agent-1");
        }
    }

    @Test
    void aBanIsKeptUnderWhatWasCountedAndHoldsForItAlone() throws Exception {
        try (RunningWeir weir = weir("api_key", "true");
                Wire wire = weir.wire()) {
            for (int i = 0; i < 9; i++) {
                ask(wire, K1, "agent-1", call(1, "T1"));
            }
            assertThat(ask(wire, K1, "agent-1", call(1, "T1")).body()).contains("-32030");
            assertThat(isServed(wire, K1B, "agent-1")).isTrue();
            List<String> banned = weir.database()
                    .withHandle(handle -> handle.createQuery("SELECT principal FROM ban")
                            .mapTo(String.class)
                            .list());
            assertThat(banned).containsExactly("key:" + ApiKey.digest(K1).substring(0, 16));
        }
    }
}
