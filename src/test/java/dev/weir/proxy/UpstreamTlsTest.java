package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.upstream.Access;
import dev.weir.upstream.Fleet;
import dev.weir.upstream.JettyUpstreamClient;
import dev.weir.upstream.Manners;
import dev.weir.upstream.Upstream;
import dev.weir.wire.Identity;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Upstreams that speak TLS: who is believed, and what they are shown. */
class UpstreamTlsTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":98214,\"method\":\"ping\"}";

    @TempDir
    private static Path directory;

    private static Identity server;
    private static Identity client;

    @BeforeAll
    static void make() throws Exception {
        server = Identity.make(directory, "server", "ip:127.0.0.1");
        client = Identity.make(directory, "client", "dns:client.example");
    }

    private static StubUpstream upstream(boolean asksForCertificate) throws Exception {
        return new StubUpstream(
                server.context(client), asksForCertificate, (request, line) -> line.json(200, "{\"fine\":1}"));
    }

    private static Front front(URI base, SSLContext tls) throws Exception {
        Upstream upstream = new Upstream(
                "/mcp",
                base,
                Front.limits(Front.FIRST_BYTE, Front.IDLE),
                Manners.MCP,
                new Access("inside", List.of()),
                Fleet.NONE);
        return Front.to(
                upstream, JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults(), Map.of("inside", tls)));
    }

    private static Wire.Answer call(Front front) throws Exception {
        try (Wire wire = new Wire(front.port())) {
            wire.post(CALL);
            return wire.answer();
        }
    }

    /** The client is told no reason, and the log is. */
    private static void assertRefused(Front front, String reason) throws Exception {
        Wire.Answer answer = call(front);
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).contains("\"id\":98214", "backend_unavailable");
        assertThat(answer.body() + answer.head()).doesNotContainIgnoringCase("certificat", "ssl", "pkix", "127.0.0.1");
        await().until(() -> front.outcomes().size() == 1);
        assertThat(front.outcomes().get(0)).containsIgnoringCase(reason);
    }

    @Test
    void anUpstreamThatItsOwnTrustStoreKnowsIsCalled() throws Exception {
        try (StubUpstream upstream = upstream(false);
                Front front = front(upstream.base(), Identity.believing(server))) {
            Wire.Answer answer = call(front);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"fine\":1}");
        }
    }

    @Test
    void anUpstreamThatTheTrustOfTheJvmDoesNotKnowIsRefused() throws Exception {
        try (StubUpstream upstream = upstream(false);
                Front front = Front.to(upstream.base())) {
            assertRefused(front, "unable to find valid certification path");
            assertThat(upstream.received()).isEmpty();
        }
    }

    @Test
    void anUpstreamThatAnotherTrustStoreKnowsIsRefused() throws Exception {
        try (StubUpstream upstream = upstream(false);
                Front front = front(upstream.base(), Identity.believing(client))) {
            assertRefused(front, "SSLHandshakeException");
            assertThat(upstream.received()).isEmpty();
        }
    }

    /** The same server under a name that its certificate does not have. */
    @Test
    void anUpstreamOfAnotherNameIsRefused() throws Exception {
        try (StubUpstream upstream = upstream(false);
                Front front = front(
                        URI.create(upstream.base().toString().replace("127.0.0.1", "localhost")),
                        Identity.believing(server))) {
            assertRefused(front, "matching localhost");
            assertThat(upstream.received()).isEmpty();
        }
    }

    @Test
    void anUpstreamThatAsksForACertificateIsShownTheOneThatIsSet() throws Exception {
        try (StubUpstream upstream = upstream(true);
                Front front = front(upstream.base(), client.context(server))) {
            assertThat(call(front).status()).isEqualTo(200);
        }
    }

    @Test
    void anUpstreamThatAsksForACertificateWhereNoneIsSetIsNotCalled() throws Exception {
        try (StubUpstream upstream = upstream(true);
                Front front = front(upstream.base(), Identity.believing(server))) {
            assertThat(call(front).status()).isEqualTo(502);
            assertThat(upstream.received()).isEmpty();
        }
    }
}
