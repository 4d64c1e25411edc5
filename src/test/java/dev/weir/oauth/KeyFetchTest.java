package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.util.JSONObjectUtils;
import dev.weir.issuer.TestIssuer;
import dev.weir.issuer.TestKey;
import dev.weir.wire.Identity;
import dev.weir.wire.StubUpstream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the keys are fetched from, and what is not taken for keys. */
@Timeout(60)
class KeyFetchTest {

    private static final TestKey KEY = TestKey.of("ES256", "k1");
    private static final int BYTES = 1 << 20;

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
    private TestIssuer issuer;
    private IssuerClient client;

    @BeforeEach
    void start() throws Exception {
        issuer = TestIssuer.start(KEY);
        client = IssuerClient.start(new IssuerClient.Bounds(Duration.ofSeconds(20), BYTES), threads);
    }

    @AfterEach
    void stop() {
        client.close();
        issuer.close();
        threads.shutdownNow();
    }

    private KeySet fetch(URI name, @Nullable URI jwks) {
        return new KeyFetch(client, name, jwks).get().join();
    }

    private void assertFails(URI name, @Nullable URI jwks, String why) {
        assertThatThrownBy(() -> fetch(name, jwks))
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage(why);
    }

    @Test
    void theConfiguredAddressIsAskedAndNoOther() {
        assertThat(fetch(issuer.issuer(), issuer.jwks()).size()).isEqualTo(1);
        assertThat(issuer.asked()).containsExactly(TestIssuer.JWKS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/.well-known/oauth-authorization-server/tenant",
                "/.well-known/openid-configuration/tenant",
                "/tenant/.well-known/openid-configuration"
            })
    void withoutOneTheIssuersMetadataIsLookedForInItsPlaces(String place) {
        URI name = issuer.issuer().resolve("/tenant");
        issuer.describe(place, name.toString());

        assertThat(fetch(name, null).size()).isEqualTo(1);
        assertThat(issuer.asked()).endsWith(place, TestIssuer.JWKS);
    }

    @Test
    void metadataOfAnotherIssuerLeadsNowhere() {
        issuer.describe(TestIssuer.METADATA, issuer.issuer() + "/");
        assertFails(issuer.issuer(), null, "its metadata is that of another issuer");
        assertThat(issuer.fetches()).isZero();
    }

    @Test
    void anIssuerWithoutMetadataHasNoKeys() {
        assertFails(issuer.issuer(), null, "it has no metadata");
    }

    @Test
    void aRedirectIsNotFollowed() {
        TestIssuer.Page there =
                new TestIssuer.Page(302, Map.of("Location", issuer.jwks().toString()), "");
        issuer.put("/moved", there);
        URI moved = issuer.issuer().resolve("/moved");

        assertFails(issuer.issuer(), moved, moved + " answered 302");
        assertThat(issuer.asked()).containsExactly("/moved");
    }

    @Test
    void anAnswerThatIsTooLargeIsNotReadToItsEnd() {
        String keys = JSONObjectUtils.toJSONString(Map.of("keys", List.of(KEY.jwk())));
        issuer.put(TestIssuer.JWKS, TestIssuer.Page.json(keys + " ".repeat(BYTES - keys.length())));
        assertThat(fetch(issuer.issuer(), issuer.jwks()).size()).isEqualTo(1);

        issuer.put(TestIssuer.JWKS, TestIssuer.Page.json(keys + " ".repeat(BYTES + 1 - keys.length())));
        assertThatThrownBy(() -> fetch(issuer.issuer(), issuer.jwks()))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("Buffering capacity");
    }

    @Test
    void anIssuerThatHangsIsLeft() {
        issuer.hang();
        try (IssuerClient hasty = IssuerClient.start(new IssuerClient.Bounds(Duration.ofMillis(300), BYTES), threads)) {
            assertThatThrownBy(() -> new KeyFetch(hasty, issuer.issuer(), issuer.jwks())
                            .get()
                            .join())
                    .hasRootCauseInstanceOf(TimeoutException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "null",
                "<html>",
                "{\"keys\":{}}",
                "{\"keys\":[]}",
                "{\"keys\":[7]}",
                "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0\",\"kid\":\"k1\"}]}",
                "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
                "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"
            })
    void whatHasNoKeyThatIsOfUseIsNoKeySet(String body) {
        issuer.put(TestIssuer.JWKS, TestIssuer.Page.json(body));
        assertThatThrownBy(() -> fetch(issuer.issuer(), issuer.jwks()))
                .isInstanceOf(CompletionException.class)
                .hasStackTraceContaining("its JWK set");
    }

    @Test
    void keysOfUseAreTakenFromBetweenThoseThatAreNot() {
        Map<String, Object> noPoint =
                Map.of("kty", "EC", "crv", "P-256", "x", "AAAA", "y", "AAAA", "kid", "broken", "use", "sig");
        Map<String, Object> unheardOf = Map.of("kty", "AKP", "alg", "ML-DSA-44", "pub", "AAAA", "kid", "later");
        Map<String, Object> noKind = Map.of("kid", "nothing");
        issuer.put(
                TestIssuer.JWKS,
                TestIssuer.Page.json(
                        JSONObjectUtils.toJSONString(Map.of("keys", List.of(noPoint, unheardOf, noKind, KEY.jwk())))));

        assertThat(fetch(issuer.issuer(), issuer.jwks()).size()).isEqualTo(1);
    }

    @Test
    void anIssuerWithACertificateOfNobodyIsNotBelieved(@TempDir Path directory) throws Exception {
        SSLContext tls = Identity.make(directory, "issuer", "ip:127.0.0.1").context();
        String keys = JSONObjectUtils.toJSONString(Map.of("keys", List.of(KEY.jwk())));
        try (StubUpstream unknown = new StubUpstream(tls, false, (request, line) -> line.json(200, keys))) {
            URI address = unknown.base();
            assertThatThrownBy(() -> fetch(address, address))
                    .isInstanceOf(CompletionException.class)
                    .hasStackTraceContaining("certification path");
            assertThat(unknown.received()).isEmpty();
        }
    }

    @Test
    void anAnswerThatIsNoGoodOneIsNone() {
        issuer.put(
                TestIssuer.JWKS,
                new TestIssuer.Page(503, Map.of(), JSONObjectUtils.toJSONString(Map.of("keys", List.of(KEY.jwk())))));
        assertFails(issuer.issuer(), issuer.jwks(), issuer.jwks() + " answered 503");
    }
}
