package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.upstream.Manners;
import dev.weir.upstream.Upstream;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody reaches an address that its own upstream has not named to it. */
class MessagePathsTest {

    private static final URI ENDPOINT = URI.create("http://u:3000/messages?sessionId=abc");

    private final MessagePaths paths = new MessagePaths(Front.SEALS);
    private final Upstream mcp = upstream("/mcp", "http://u:3000/sse");

    private static Upstream upstream(String prefix, String base) {
        return new Upstream(
                prefix, URI.create(base), Front.limits(Duration.ofSeconds(1), Duration.ofSeconds(1)), Manners.MCP);
    }

    private @Nullable URI back(Upstream upstream, String owner, String address) {
        int query = address.indexOf('?');
        return query < 0
                ? paths.target(upstream, owner, address, null)
                : paths.target(upstream, owner, address.substring(0, query), address.substring(query + 1));
    }

    @ParameterizedTest
    @CsvSource({
        "/mcp, http://u:3000/sse, http://u:3000/messages?sessionId=abc",
        "/mcp, http://u:3000/sse, http://u:3000/messages/?session_id=0a1b",
        "/, http://u:3000/sse, http://u:3000/mcp/message?sessionId=a-b&x=%2Fy",
        "/a/b, http://u:3000/x/sse, http://u:3000/x/messages/17"
    })
    void anAddressLeadsBackToWhereItWasMadeFrom(String prefix, String base, URI endpoint) {
        Upstream upstream = upstream(prefix, base);
        String address = paths.publish(upstream, "client:c1", endpoint);
        assertThat(address)
                .matches((prefix.equals("/") ? "" : prefix) + "/~sse/[A-Za-z0-9_-]{43}/.*")
                .endsWith(endpoint.toString().substring("http://u:3000".length()));
        assertThat(MessagePaths.isOne(prefix, address)).isTrue();
        assertThat(back(upstream, "client:c1", address)).isEqualTo(endpoint);
    }

    @Test
    void itLeadsNowhereForAnybodyElse() {
        String address = paths.publish(mcp, "client:c1", ENDPOINT);
        assertThat(back(mcp, "client:c2", address)).isNull();
        assertThat(back(mcp, "", address)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/other, http://u:3000/sse",
        "/mcp, http://u:3001/sse",
        "/mcp, https://u:3000/sse",
        "/mcp, http://v:3000/sse"
    })
    void itLeadsNowhereOnAnotherRouteOrUpstream(String prefix, String base) {
        String address = paths.publish(mcp, "client:c1", ENDPOINT);
        assertThat(back(upstream(prefix, base), "client:c1", address.replace("/mcp/", prefix + "/")))
                .isNull();
    }

    @Test
    void itStillLeadsThereWhenTheRoutesPathHasChanged() {
        String address = paths.publish(mcp, "client:c1", ENDPOINT);
        assertThat(back(upstream("/mcp", "HTTP://U:3000/other"), "client:c1", address))
                .isEqualTo(ENDPOINT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SEAL/messages",
                "SEAL/messages?sessionId=abd",
                "SEAL/messages?sessionId=abc&x=1",
                "SEAL/messages/?sessionId=abc",
                "SEAL/admin?sessionId=abc",
                "SEAL/../messages?sessionId=abc",
                "SEAL?sessionId=abc",
                "SEAL",
                "",
                "x",
                "messages?sessionId=abc",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/messages?sessionId=abc"
            })
    void noChangeOfItLeadsAnywhere(String rest) {
        String seal =
                paths.publish(mcp, "client:c1", ENDPOINT).substring("/mcp/~sse/".length(), "/mcp/~sse/".length() + 43);
        assertThat(back(mcp, "client:c1", "/mcp/~sse/" + rest.replace("SEAL", seal)))
                .isNull();
        assertThat(back(mcp, "client:c1", "/mcp/~sse/" + seal + "/messages?sessionId=abc"))
                .isEqualTo(ENDPOINT);
    }

    @Test
    void anotherKeyIsNotBelieved() {
        byte[] key = new byte[32];
        key[0] = 1;
        Seals others = new Seals();
        others.use(key);
        String address = new MessagePaths(others).publish(mcp, "client:c1", ENDPOINT);
        assertThat(back(mcp, "client:c1", address)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://u:3000",
                "http://u:3000//messages",
                "http://u:3000/a/../messages",
                "http://u:3000/a/./b",
                "http://u:3000/..",
                "http://u:3000/me%2fssages",
                "http://u:3000/a;b",
                "http://u:3000/m?x='"
            })
    void whatClientsOrServersMightChangeOnTheWayIsNotPublished(String endpoint) {
        assertThatThrownBy(() -> paths.publish(mcp, "client:c1", URI.create(endpoint)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plain form");
    }
}
