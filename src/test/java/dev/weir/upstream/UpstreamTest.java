package dev.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpstreamTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "/mcp, http://h:1/mcp, /mcp, -, http://h:1/mcp",
                "/mcp, http://h:1/mcp, /mcp/x, -, http://h:1/mcp/x",
                "/mcp, http://h:1/mcp, /mcp/, -, http://h:1/mcp/",
                "/mcp, http://h:1/mcp/, /mcp, -, http://h:1/mcp/",
                "/mcp, http://h:1/mcp/, /mcp/x, -, http://h:1/mcp/x",
                "/mcp, http://h:1, /mcp, -, http://h:1",
                "/mcp, http://h:1, /mcp/x, -, http://h:1/x",
                "/a/b, https://h/up/b, /a/b/c%20d, a=1&b=%2e, https://h/up/b/c%20d?a=1&b=%2e",
                "/, http://h:1/up, /x, q, http://h:1/up/x?q",
                "/, http://h:1/up/, /, -, http://h:1/up/",
                "/mcp, http://h:1/mcp, /mcp/@evil:80/x, -, http://h:1/mcp/@evil:80/x",
                "/mcp, http://h:1, /mcp/@evil, ?u=http://evil/, http://h:1/@evil??u=http://evil/",
                "/mcp, http://h:1/mcp, /mcp/..x/...y/.z., -, http://h:1/mcp/..x/...y/.z."
            })
    void thePrefixIsReplacedByTheBase(String prefix, URI base, String path, String query, URI target) {
        assertThat(upstream(prefix, base).target(path, query)).isEqualTo(target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil",
                "//evil/mcp",
                "/mcp//evil",
                "/mcp/../admin",
                "/mcp/..",
                "/mcp/.",
                "/mcp/./x",
                "/mcp/%2e%2e/x",
                "/mcp/.%2E/x",
                "/mcp/a%2Fb",
                "/mcp/a%5cb",
                "/mcp/a\\b",
                "/mcp/x;a=1",
                "/mcp/x%3ba",
                "/mcp/%252e%252e/",
                "/mcp/x#y",
                "/mcp/a%00",
                "/mcp@evil",
                "/mcpx",
                "/%6dcp",
                "/mcp/a b",
                "/mcp/%zz",
                "/",
                "",
                "mcp",
                "/MCP"
            })
    void aPathThatCouldLeadElsewhereIsRefused(String path) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> upstream("/mcp", URI.create("http://h:1/mcp")).target(path, null));
    }

    @Test
    void aQueryThatIsNoneIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> upstream("/mcp", URI.create("http://h:1/mcp")).target("/mcp", "a b"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "h:1/mcp",
                "/mcp",
                "ftp://h/",
                "http:///mcp",
                "http://u:p@h/mcp",
                "http://h/mcp?q",
                "http://h/mcp#f",
                "file:///etc/passwd",
                "mailto:a@b"
            })
    void aBaseThatIsNoPlainHttpAddressIsRefusedByName(String base) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> upstream("/mcp", URI.create(base)))
                .withMessageContaining(base)
                .withMessageContaining("must");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mcp", "/mcp/"})
    void aPrefixThatIsNoPathIsRefusedByName(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> upstream(prefix, URI.create("http://h/")))
                .withMessageContaining("prefix \"" + prefix + "\"");
    }

    @Test
    void aLimitOfNoTimeIsRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException().isThrownBy(() -> Bounds.limits(Duration.ZERO, second));
        assertThatIllegalArgumentException().isThrownBy(() -> Bounds.limits(second, Duration.ZERO));
    }

    private static Upstream upstream(String prefix, URI base) {
        return new Upstream(prefix, base, Bounds.limits(Duration.ofSeconds(1), Duration.ofSeconds(1)), Manners.MCP);
    }
}
