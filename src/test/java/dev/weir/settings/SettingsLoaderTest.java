package dev.weir.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsLoaderTest {

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();

    private SettingsLoader loader(Map<String, String> environment) {
        return new SettingsLoader(environment, Map.of(), warnings::add);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("weir.properties"), text);
    }

    @Test
    void whatNobodyHasSetHasItsDefault() {
        Settings settings = loader(Map.of()).load(null, Map.of());

        assertThat(settings.port()).isEqualTo(8080);
        assertThat(settings.host()).isEmpty();
        assertThat(settings.dataDir()).isEqualTo(Path.of("./data"));
        assertThat(settings.upstream()).isEmpty();
        assertThat(settings.auth().required()).isTrue();
        assertThat(settings.rateLimit().enabled()).isTrue();
        assertThat(settings.rateLimit().requestsPerSecond()).isEqualTo(100);
        assertThat(settings.rateLimit().burstSize()).isEqualTo(50);
        assertThat(settings.rateLimit().keyStrategy()).isEqualTo("client");
        assertThat(settings.maxBodyBytes()).isEqualTo(1 << 20);
        assertThat(settings.db().url()).isEmpty();
        assertThat(warnings).isEmpty();
    }

    @Test
    void theCommandLineWinsOverSystemPropertiesTheseOverTheEnvironmentAndThatOverTheFile() throws IOException {
        Path file = file("mcp.port=1\nmcp.db.user=file\nmcp.db.url=file\nmcp.host=file\n");
        SettingsLoader loader = new SettingsLoader(
                Map.of("MCP_PORT", "2", "MCP_DB_USER", "env", "MCP_DB_URL", "env"),
                Map.of("mcp.port", "3", "mcp.db.user", "system", "user.home", "/"),
                warnings::add);

        Settings settings = loader.load(file, Map.of("mcp.port", "4"));

        assertThat(settings.port()).isEqualTo(4);
        assertThat(settings.db().user()).isEqualTo("system");
        assertThat(settings.db().url()).contains("env");
        assertThat(settings.host()).contains("file");
    }

    @Test
    void namesOfSeveralWordsAreReadFromTheEnvironment() {
        Settings settings = loader(Map.of(
                        "MCP_RATE_LIMIT_REQUESTS_PER_SECOND", "7.5",
                        "MCP_RATE_LIMIT_BURST_SIZE", "9",
                        "MCP_RATE_LIMIT_ENABLED", "false",
                        "MCP_RATE_LIMIT_KEY_STRATEGY", "ip",
                        "MCP_AUTH_REQUIRED", "false",
                        "MCP_ALLOWED_ORIGINS", "https://a.example,https://b.example",
                        "MCP_MAX_BODY_BYTES", "4096"))
                .load(null, Map.of());

        assertThat(settings.rateLimit().requestsPerSecond()).isEqualTo(7.5);
        assertThat(settings.rateLimit().burstSize()).isEqualTo(9);
        assertThat(settings.rateLimit().keyStrategy()).isEqualTo("ip");
        assertThat(settings.rateLimit().enabled()).isFalse();
        assertThat(settings.auth().required()).isFalse();
        assertThat(settings.allowedOrigins())
                .hasValueSatisfying(origins ->
                        assertThat(origins).containsExactlyInAnyOrder("https://a.example", "https://b.example"));
        assertThat(settings.maxBodyBytes()).isEqualTo(4096);
        assertThat(warnings).isEmpty();
    }

    @Test
    void originsAndHostsAreTakenAsTheyAreSent() {
        Settings settings = loader(Map.of(
                        "MCP_ALLOWED_ORIGINS",
                        "http://localhost:3000,https://a.example:8443,http://[::1]:8080,chrome-extension://abcdef,HTTPS://B.example",
                        "MCP_ALLOWED_HOSTS",
                        "gw.example,GW_1,192.0.2.1,[2001:db8::1]"))
                .load(null, Map.of());
        assertThat(settings.allowedOrigins().orElseThrow()).hasSize(5);
        assertThat(settings.allowedHosts().orElseThrow()).hasSize(4);
    }

    @Test
    void anEmptyVariableIsAsGoodAsNone() {
        Settings settings = loader(Map.of("MCP_PORT", "", "MCP_UPSTREAM", "")).load(null, Map.of());
        assertThat(settings.port()).isEqualTo(8080);
        assertThat(settings.upstream()).isEmpty();
    }

    @Test
    void aVariableThatThereIsNotIsWarnedOf() {
        loader(Map.of("MCP_PROT", "1", "OTHER", "2")).load(null, Map.of());
        assertThat(warnings).singleElement().asString().contains("MCP_PROT");
    }

    @Test
    void aSecretMayBeGivenAsAFile() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "s3cret\n");
        Settings settings =
                loader(Map.of("MCP_DB_PASSWORD_FILE", secret.toString())).load(null, Map.of());
        assertThat(settings.db().password()).contains("s3cret");
        assertThat(warnings).isEmpty();
        assertThatThrownBy(() -> loader(Map.of("MCP_DB_PASSWORD_FILE", directory + "/none"))
                        .load(null, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("MCP_DB_PASSWORD_FILE names a file that cannot be read");
    }

    @Test
    void theFileMayBeNamedByTheEnvironment() throws IOException {
        Path file = file("mcp.port=81\n");
        assertThat(loader(Map.of("MCP_CONF", file.toString()))
                        .load(null, Map.of())
                        .port())
                .isEqualTo(81);
    }

    @ParameterizedTest
    @CsvSource({
        "mcp.port, abc, abc",
        "mcp.port, 65536, 65536",
        "mcp.port, -1, -1",
        "mcp.max-body-bytes, 10, 10",
        "mcp.rate-limit.requests-per-second, -1, rate must be from 0",
        "mcp.rate-limit.burst-size, 0, burst must be",
        "mcp.rate-limit.burst-size, lots, lots",
        "mcp.rate-limit.key-strategy, session, 'must be client, ip, api_key, user, ip_user_agent, not [session]'",
        "mcp.upstream, 'ht tp://x', 'ht tp://x'",
        "mcp.trusted-proxies, 'proxy.internal', '[proxy.internal] is neither; names are not looked up'",
        "mcp.trusted-proxies, '10.0.0.0/8,10.0.0.1/8', '[10.0.0.1/8] is no block'",
        "mcp.trusted-proxies, '10.0.0.0/33', 'the prefix of [10.0.0.0/33] must be from 0 to 32'",
        "mcp.allowed-origins, '*', 'https://console.example:8443, without path or slash at the end, and [*] is none'",
        "mcp.allowed-origins, 'https://a.example,https://*.example', '[https://*.example] is none'",
        "mcp.allowed-origins, 'https://a.example/', '[https://a.example/] is none'",
        "mcp.allowed-origins, 'a.example', '[a.example] is none'",
        "mcp.allowed-origins, 'null', '[null] is none'",
        "mcp.allowed-origins, 'https://a.example:443', 'browsers leave the usual port out'",
        "mcp.allowed-hosts, '*', '[*] is none; there are no wildcards'",
        "mcp.allowed-hosts, 'gw.example:8080', '[gw.example:8080] is none'",
        "mcp.allowed-hosts, 'https://gw.example', '[https://gw.example] is none'",
        "mcp.allowed-hosts, '::1', '[::1] is none'",
        "mcp.allowed-headers, '*', 'must be names of header fields, and [*] is none'",
        "mcp.allowed-headers, 'x-a,x b', '[x b]'",
        "mcp.forwarded-header, x-real-ip, 'must be X-Forwarded-For or Forwarded, not [x-real-ip]'",
        "mcp.public-url, gateway.example, 'must be an http or https URL without user, query or fragment, not [gateway.example]'",
        "mcp.public-url, 'https://gw.example/?a=b', '[https://gw.example/?a=b]'"
    })
    void aValueThatCannotBeUsedIsNamedInOneLine(String key, String value, String named) {
        assertThatThrownBy(() -> loader(Map.of()).load(null, Map.of(key, value)))
                .isInstanceOf(SettingsException.class)
                .satisfies(e -> assertThat(e.getMessage())
                        .contains(
                                key.startsWith("mcp.rate-limit.key") || !key.startsWith("mcp.rate-limit")
                                        ? key
                                        : "mcp.rate-limit")
                        .contains(named)
                        .doesNotContain("\n"));
    }

    @Test
    void aKeyOfTheFileThatThereIsNotStopsTheStart() throws IOException {
        Path file = file("mcp.rate-limit.requests-per-secnd=5\n");
        assertThatThrownBy(() -> loader(Map.of()).load(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("there is no setting [mcp.rate-limit.requests-per-secnd]");
        assertThatThrownBy(() -> loader(Map.of()).load(directory.resolve("none"), Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("there is no file of settings");
    }

    @Test
    void theFileThatComesWithWeirNamesEverySettingWithItsDefaultAndNoOther() throws IOException {
        Map<String, String> keys = new java.util.TreeMap<>();
        for (String line : Files.readAllLines(Path.of("conf/weir.properties"))) {
            Matcher key = Pattern.compile("#(mcp\\.[a-z0-9.-]+(?:NAME[a-z.-]*)?)=(.*)")
                    .matcher(line);
            if (key.matches()) {
                keys.put(key.group(1).replace("NAME", "*"), key.group(2));
            }
        }
        assertThat(keys.keySet()).isEqualTo(new TreeSet<>(SettingsLoader.known()));
        StringBuilder defaults = new StringBuilder();
        keys.forEach((key, value) -> {
            if (!value.isEmpty() && !key.startsWith("mcp.allowed") && !key.contains("*")) {
                defaults.append(key).append('=').append(value).append('\n');
            }
        });
        Settings written = loader(Map.of()).load(file(defaults.toString()), Map.of());
        Settings standard = loader(Map.of()).load(null, Map.of());
        assertThat(written.port()).isEqualTo(standard.port());
        assertThat(written.dataDir()).isEqualTo(standard.dataDir());
        assertThat(written.maxBodyBytes()).isEqualTo(standard.maxBodyBytes());
        assertThat(written.db().user()).isEqualTo(standard.db().user());
        assertThat(written.auth().required()).isEqualTo(standard.auth().required());
        assertThat(written.rateLimit().enabled()).isEqualTo(standard.rateLimit().enabled());
        assertThat(written.rateLimit().requestsPerSecond())
                .isEqualTo(standard.rateLimit().requestsPerSecond());
        assertThat(written.rateLimit().burstSize())
                .isEqualTo(standard.rateLimit().burstSize());
        assertThat(written.rateLimit().keyStrategy())
                .isEqualTo(standard.rateLimit().keyStrategy());
    }
}
