package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
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

/** What an upstream is told of who calls, and what it is shown of Weir's own. */
@Timeout(60)
class ClientHeaderTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final String FORGED = "X-Weir-Client: client:boss\r\n";

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

    private List<String> told(String header, String request, String... edits) throws Exception {
        try (RunningWeir weir = RunningWeir.startWith(
                        List.of(edits),
                        directory,
                        upstream.base(),
                        "mcp.auth.required",
                        "false",
                        "mcp.secrets.sign",
                        SECRET,
                        "mcp.secrets.login",
                        "weir:pässword");
                Wire wire = weir.wire()) {
            wire.send(request);
            assertThat(wire.answer().status()).isEqualTo(200);
            return upstream.received().get(0).values(header);
        }
    }

    private static String forged() {
        return post(K1, call(1, "echo"), FORGED);
    }

    @Test
    void anUpstreamIsToldNothingUnlessItsRouteAsksForIt() throws Exception {
        assertThat(told("X-Weir-Client", forged())).isEmpty();
    }

    @Test
    void anUpstreamMayBeToldTheClientsNameWhichNobodyElseCanSay() throws Exception {
        assertThat(told("X-Weir-Client", forged(), "UPDATE route SET identity = 'plain'"))
                .containsExactly("client:c1");
    }

    @Test
    void aNameThatIsNoHeaderIsEscaped() throws Exception {
        assertThat(told(
                        "X-Weir-Client",
                        forged(),
                        "UPDATE route SET identity = 'plain'",
                        "UPDATE client SET id = 'a %\n\u00e4' WHERE id = 'c1'"))
                .containsExactly("client:a%20%25%0A%C3%A4");
    }

    @Test
    void nobodyIsToldOfWhoHasProvenNothing() throws Exception {
        String anonymous = forged().replace("Authorization: Bearer " + K1 + "\r\n", "");
        assertThat(told("X-Weir-Client", anonymous, "UPDATE route SET identity = 'plain'"))
                .isEmpty();
    }

    @Test
    void theNameMayBeSignedForTheRouteAndForAMinute() throws Exception {
        String signed = told(
                        "X-Weir-Client", forged(), "UPDATE route SET identity = 'signed', identity_secret = 'sign'")
                .get(0);
        SignedJWT jwt = SignedJWT.parse(signed);
        assertThat(jwt.verify(new MACVerifier(SECRET))).isTrue();
        JWTClaimsSet claims = jwt.getJWTClaimsSet();
        assertThat(claims.getSubject()).isEqualTo("client:c1");
        assertThat(claims.getIssuer()).isEqualTo("weir");
        assertThat(claims.getAudience()).containsExactly("/mcp");
        assertThat(claims.getExpirationTime().toInstant())
                .isEqualTo(claims.getIssueTime().toInstant().plusSeconds(60));
    }

    @Test
    void anUpstreamIsShownWeirsOwnNameAndPasswordAndNeverTheClients() throws Exception {
        assertThat(
                        told(
                                "Authorization",
                                post(K1, call(1, "echo")),
                                "INSERT INTO route_header (route, name, content) VALUES ('/mcp', 'Authorization', 'Basic ${basic.login}')"))
                .containsExactly("Basic d2Vpcjpww6Rzc3dvcmQ=");
    }
}
