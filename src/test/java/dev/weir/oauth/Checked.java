package dev.weir.oauth;

import static org.awaitility.Awaitility.await;

import dev.weir.auth.TokenCheck;
import dev.weir.issuer.TestIssuer;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Tokens of an issuer under test, with clocks that stand still until they are moved. */
final class Checked implements AutoCloseable {

    static final String AUDIENCE = "https://gateway.example/mcp";
    static final Duration SKEW = Duration.ofSeconds(30);

    /** The real one, but that nothing is fetched by itself, and nobody waits long. */
    static final KeyRing.Pace PACE = new KeyRing.Pace(
            Duration.ofHours(1),
            Duration.ofSeconds(10),
            Duration.ofMillis(300),
            Duration.ofMillis(100),
            Duration.ofMillis(200));

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
    private final AtomicLong millis = new AtomicLong(1_800_000_000_000L);
    private final AtomicLong nanos = new AtomicLong();
    private final TestIssuer issuer;
    private final SignedTokens tokens;

    private Checked(TestIssuer issuer, URI jwks, String name, KeyRing.Pace pace) {
        this.issuer = issuer;
        TokenRules rules = new TokenRules(name, Set.of("https://other.example", AUDIENCE), SKEW);
        tokens = SignedTokens.start(rules, jwks, threads, () -> Instant.ofEpochMilli(millis.get()), nanos::get, pace);
    }

    /** Those of an issuer whose keys are where they are configured to be; they need not have come. */
    static Checked starting(TestIssuer issuer) {
        return new Checked(issuer, issuer.jwks(), issuer.issuer().toString(), PACE);
    }

    static Checked starting(TestIssuer issuer, URI jwks, String name, KeyRing.Pace pace) {
        return new Checked(issuer, jwks, name, pace);
    }

    /** The same, when its keys have come. */
    static Checked of(TestIssuer issuer) {
        return starting(issuer).awaitKeys();
    }

    Checked awaitKeys() {
        await("the keys have come").until(() -> tokens.state() == SignedTokens.State.OK);
        return this;
    }

    SignedTokens tokens() {
        return tokens;
    }

    TokenCheck check(String token) {
        return tokens.check(token);
    }

    /** Checks a token again when it is worth while, as the gateway does. */
    TokenCheck checkInTheEnd(String token) throws Exception {
        TokenCheck first = check(token);
        if (first instanceof TokenCheck.Later later) {
            later.known().toCompletableFuture().get(20, TimeUnit.SECONDS);
            return check(token);
        }
        return first;
    }

    long now() {
        return millis.get();
    }

    /** Moves both clocks. */
    void pass(Duration time) {
        millis.addAndGet(time.toMillis());
        nanos.addAndGet(time.toNanos());
    }

    /** The claims of a good token. */
    Map<String, Object> claims() {
        return issuer.claims(AUDIENCE, now());
    }

    /** The same but for one. */
    Map<String, Object> claimsWith(String claim, Object value) {
        Map<String, Object> claims = new LinkedHashMap<>(claims());
        claims.put(claim, value);
        return claims;
    }

    @Override
    public void close() {
        tokens.close();
        threads.shutdownNow();
    }
}
