package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.settings.Settings;
import dev.weir.settings.SettingsException;
import dev.weir.settings.SettingsLoader;
import dev.weir.wire.Identity;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class UpstreamTlsSettingsTest {

    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    @TempDir
    private static Path directory;

    private static Identity server;
    private static Identity client;

    @BeforeAll
    static void make() throws Exception {
        server = Identity.make(directory, "server", "ip:127.0.0.1");
        client = Identity.make(directory, "client", "dns:client.example");
    }

    private static int status(RunningWeir weir) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T1")));
            return wire.answer().status();
        }
    }

    /** Both kinds of files, all four settings. */
    @Test
    void aRouteIsBelievedAndShownWhatTheSettingsOfItsNameSay() throws Exception {
        try (StubUpstream upstream =
                        new StubUpstream(server.context(client), true, (request, line) -> line.json(200, RESULT));
                RunningWeir weir = RunningWeir.start(
                        directory.resolve("data"),
                        upstream.base(),
                        "mcp.upstream-tls.in_PEM.trust-store",
                        server.pem(false).toString(),
                        "mcp.upstream-tls.in-pem.key-store",
                        client.pem(true).toString(),
                        "mcp.upstream-tls.pkcs.trust-store",
                        server.trustStore().toString(),
                        "mcp.upstream-tls.pkcs.trust-store-password",
                        Identity.PASSWORD,
                        "mcp.upstream-tls.pkcs.key-store",
                        client.keyStore().toString(),
                        "mcp.upstream-tls.pkcs.key-store-password",
                        Identity.PASSWORD)) {
            weir.sql("UPDATE tool_tier SET rate_per_second = 1000, burst = 1000");
            assertThat(status(weir)).as("without a name").isEqualTo(502);
            weir.sql("UPDATE route SET tls = 'In-Pem'");
            await().until(() -> status(weir) == 200);
            weir.sql("UPDATE route SET tls = 'pkcs', connect_timeout_ms = 2900");
            weir.sql("INSERT INTO route (prefix, upstream_url, tls) VALUES ('/x', 'https://127.0.0.1/', 'outside')");
            await().until(() -> weir.probe("/health").contains("there is no [outside]"));
            assertThat(weir.probe("/health")).contains("table route, row [/x]: tls must be a name");
            weir.sql("DELETE FROM route WHERE prefix = '/x'");
            await().until(() -> !weir.probe("/health").contains("outside"));
            assertThat(status(weir)).isEqualTo(200);
        }
    }

    private static void assertRefused(Map<String, String> settings, String... parts) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("mcp.data-dir", directory.resolve("none").toString());
        Settings loaded = new SettingsLoader(Map.of(), Map.of(), warning -> {}).load(null, all);
        assertThatThrownBy(() -> Weir.start(loaded, null).close())
                .isInstanceOf(SettingsException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(parts).doesNotContain("\n"));
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void whatCannotBeUsedStopsTheStart() throws Exception {
        String name = "mcp.upstream-tls.x";
        String trust = server.trustStore().toString();
        assertRefused(Map.of(name + ".trust-store", directory + "/nothing"), name + ".trust-store names a file");
        assertRefused(
                Map.of(name + ".trust-store", trust, name + ".trust-store-password", "wrong"),
                name + ".trust-store names a file that cannot be used: " + trust);
        assertRefused(
                Map.of(name + ".key-store", trust, name + ".key-store-password", Identity.PASSWORD),
                name + ".key-store names a file that has no private key");
        assertRefused(
                Map.of(name + ".trust-store", client.pem(true).toString()),
                name + ".trust-store names a file that has no certificate to be trusted");
        Path old = Files.writeString(
                directory.resolve("old.pem"), "-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n");
        assertRefused(Map.of(name + ".key-store", old.toString()), "openssl pkcs8 -topk8");
        assertRefused(
                Map.of(name + ".key-store-password", "alone"), name + " has neither a trust-store nor a key-store");
    }

    @Test
    void theEnvironmentMayNameThemToo() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "from a file\n");
        List<String> warnings = new ArrayList<>();
        Settings read = new SettingsLoader(
                        Map.of(
                                "MCP_UPSTREAM_TLS_NEAR_BY_TRUST_STORE", "/trust",
                                "MCP_UPSTREAM_TLS_NEAR_BY_TRUST_STORE_PASSWORD", "one",
                                "MCP_UPSTREAM_TLS_NEAR_BY_KEY_STORE", "/keys",
                                "MCP_UPSTREAM_TLS_NEAR_BY_KEY_STORE_PASSWORD_FILE", secret.toString()),
                        Map.of(),
                        warnings::add)
                .load(null, Map.of());
        Settings.Tls tls = Objects.requireNonNull(read.upstreamTls().get("near-by"));
        assertThat(tls.trustStore()).contains(Path.of("/trust"));
        assertThat(tls.trustStorePassword()).contains("one");
        assertThat(tls.keyStore()).contains(Path.of("/keys"));
        assertThat(tls.keyStorePassword()).contains("from a file");
        assertThat(warnings).isEmpty();
    }
}
