package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

/**
 * Case O47: a header that says where a request comes from says nothing, as long as nobody is trusted to write it.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7239#section-8.1">RFC 7239, 8.1: header validity</a>
 */
@Timeout(60)
class ForwardedAddressTest {

    /** Headers that speak of an address; what stands for the address is replaced. */
    private static final List<String> HEADERS = List.of(
            "X-Forwarded-For: %s\r\n",
            "X-Forwarded-For: %s, 127.0.0.1\r\n",
            "X-Forwarded-For: 192.0.2.9\r\nX-Forwarded-For: %s\r\n",
            "Forwarded: for=%s\r\n",
            "Forwarded: for=\"[2001:db8::1]\", for=%s;proto=https\r\n",
            "X-Real-IP: %s\r\n");

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

    private static Wire.Answer ask(Wire wire, String key, String headers) throws IOException {
        String request = post(key, call(1, "T1"), headers);
        wire.send(key.isEmpty() ? request.replace("Authorization: Bearer \r\n", "") : request);
        return wire.answer();
    }

    /** O47: an address made up anew for each attempt gives no more attempts. */
    @Test
    void guessersAreLimitedByTheAddressOfThePeerWhateverTheirHeadersSay() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            for (String header : HEADERS) {
                int refused = 0;
                for (int i = 1; i <= 100; i++) {
                    int status = ask(wire, "guess-" + i, String.format(header, "203.0.113." + i))
                            .status();
                    assertThat(status).isIn(401, 429);
                    refused += status == 429 ? 1 : 0;
                }
                assertThat(refused).as(header).isPositive();
            }
            assertThat(ask(wire, K1, "").status()).isEqualTo(200);
        }
    }

    /** O47: nobody is throttled or banned for what somebody else writes. */
    @Test
    void anAddressInSomebodyElsesHeaderIsNeitherChargedNorBanned() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base(), "mcp.auth.required", "false");
                Wire wire = weir.wire()) {
            for (int i = 0; i < 24; i++) {
                ask(wire, "", String.format(HEADERS.get(i % HEADERS.size()), "198.51.100.7"));
            }
            assertThat(ask(wire, "", "").body()).contains("-32030");
            assertThat(principals(weir, "ban")).containsExactly("address:127.0.0.1");
            await().untilAsserted(() -> assertThat(principals(weir, "bucket")).contains("address:127.0.0.1"));
            assertThat(principals(weir, "bucket")).noneMatch(principal -> principal.contains("198.51.100.7"));
        }
    }

    private static List<String> principals(RunningWeir weir, String table) {
        return weir.database()
                .withHandle(handle -> handle.createQuery("SELECT DISTINCT principal FROM " + table)
                        .mapTo(String.class)
                        .list());
    }
}
