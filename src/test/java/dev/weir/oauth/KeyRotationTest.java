package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.TokenCheck;
import dev.weir.issuer.TestIssuer;
import dev.weir.issuer.TestKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** O59: the issuer changes its keys, is asked for keys that there are not, is slow, and is away. */
@Timeout(60)
class KeyRotationTest {

    private static final TestKey OLD = TestKey.of("ES256", "old");
    private static final TestKey NEW = TestKey.of("ES256", "new");

    private TestIssuer issuer;

    @BeforeEach
    void start() throws Exception {
        issuer = TestIssuer.start(OLD);
    }

    @AfterEach
    void stop() {
        issuer.close();
    }

    private static String strange(Checked tokens) {
        String kid = UUID.randomUUID().toString();
        return NEW.token(Map.of("alg", "ES256", "kid", kid), tokens.claims());
    }

    @Test
    void aNewKeyIsFetchedWhenTheFirstTokenThatItSignedComes() throws Exception {
        try (Checked tokens = Checked.of(issuer)) {
            issuer.has(OLD, NEW);
            tokens.pass(Duration.ofSeconds(10));

            assertThat(tokens.check(NEW.token(tokens.claims()))).isInstanceOf(TokenCheck.Later.class);
            assertThat(tokens.checkInTheEnd(NEW.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
            assertThat(tokens.check(OLD.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
            assertThat(issuer.fetches()).isEqualTo(2);
        }
    }

    @Test
    void aThousandTokensOfKeysThatThereAreNotMakeOneFetch() throws Exception {
        try (Checked tokens = Checked.of(issuer)) {
            tokens.pass(Duration.ofSeconds(10));
            for (int i = 0; i < 1_000; i++) {
                assertThat(tokens.checkInTheEnd(strange(tokens))).isInstanceOf(TokenCheck.Bad.class);
            }
            assertThat(issuer.fetches()).isEqualTo(2);

            tokens.pass(Duration.ofSeconds(10));
            assertThat(tokens.checkInTheEnd(strange(tokens))).isInstanceOf(TokenCheck.Bad.class);
            assertThat(issuer.fetches()).isEqualTo(3);
        }
    }

    @Test
    void whoMissesAKeyAtTheSameTimeSharesOneFetchAndNoThreadWaits() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try (Checked tokens =
                Checked.starting(issuer, issuer.jwks(), issuer.issuer().toString(), patient())) {
            tokens.awaitKeys();
            issuer.has(NEW);
            issuer.hang();
            tokens.pass(Duration.ofSeconds(10));
            List<Future<TokenCheck>> checks = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                checks.add(callers.submit(() -> tokens.check(NEW.token(tokens.claims()))));
            }
            List<CompletableFuture<Void>> known = new ArrayList<>();
            for (Future<TokenCheck> check : checks) {
                // All of them come back while the issuer says nothing.
                known.add(((TokenCheck.Later) check.get()).known().toCompletableFuture());
            }
            await().until(() -> issuer.fetches() == 2);
            assertThat(known).noneMatch(CompletableFuture::isDone);
            assertThat(tokens.check(OLD.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);

            issuer.answerAgain();
            CompletableFuture.allOf(known.toArray(CompletableFuture[]::new)).join();
            assertThat(tokens.check(NEW.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
            assertThat(issuer.fetches()).isEqualTo(2);
        } finally {
            callers.shutdown();
        }
    }

    @Test
    void nobodyWaitsLongForAnIssuerThatHangs() throws Exception {
        try (Checked tokens = Checked.of(issuer)) {
            issuer.hang();
            tokens.pass(Duration.ofSeconds(10));

            assertThat(tokens.checkInTheEnd(strange(tokens)))
                    .as("the patience is over, but not the fetch")
                    .isInstanceOf(TokenCheck.Bad.class);
            assertThat(tokens.check(OLD.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
        }
    }

    @Test
    void theLastGoodKeysHoldWhileTheIssuerIsAway() throws Exception {
        try (Checked tokens = Checked.of(issuer)) {
            issuer.goAway();
            tokens.pass(Duration.ofSeconds(10));
            assertThat(tokens.checkInTheEnd(strange(tokens))).isInstanceOf(TokenCheck.Bad.class);
            await().until(() -> tokens.tokens().state() == SignedTokens.State.UNREACHABLE);
            tokens.pass(Duration.ofDays(3));

            assertThat(tokens.check(OLD.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
            assertThat(tokens.tokens().keysAge()).isEqualTo(Duration.ofDays(3).plusSeconds(10));

            issuer.has(NEW);
            issuer.comeBack();
            await().until(() -> tokens.tokens().state() == SignedTokens.State.OK);
            assertThat(tokens.check(NEW.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
        }
    }

    @Test
    void aKeyThatIsTakenBackTakesItsTokensWithItAlsoThoseThatWereGood() throws Exception {
        try (Checked tokens =
                Checked.starting(issuer, issuer.jwks(), issuer.issuer().toString(), hasty())) {
            tokens.awaitKeys();
            String token = OLD.token(tokens.claims());
            assertThat(tokens.check(token)).isInstanceOf(TokenCheck.Good.class);
            assertThat(tokens.tokens().known(token)).isNotNull();

            issuer.has(NEW);

            await().until(() -> tokens.tokens().known(token) == null);
            assertThat(tokens.checkInTheEnd(token)).isInstanceOf(TokenCheck.Bad.class);
        }
    }

    @Test
    void anIssuerThatIsAwayAtTheStartIsAskedUntilItIsThere() throws Exception {
        issuer.goAway();
        try (Checked tokens = Checked.starting(issuer)) {
            await().until(() -> tokens.tokens().state() == SignedTokens.State.UNREACHABLE);
            assertThat(tokens.check(OLD.token(tokens.claims()))).isEqualTo(new TokenCheck.Unknown());
            assertThat(tokens.tokens().keysAge()).isNull();

            issuer.comeBack();
            tokens.awaitKeys();
            assertThat(tokens.check(OLD.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
        }
    }

    @Test
    void whileTheFirstFetchIsUnderWayTokensWaitForIt() throws Exception {
        issuer.hang();
        try (Checked tokens =
                Checked.starting(issuer, issuer.jwks(), issuer.issuer().toString(), patient())) {
            TokenCheck check = tokens.check(OLD.token(tokens.claims()));
            assertThat(check).isInstanceOf(TokenCheck.Later.class);
            assertThat(tokens.tokens().state()).isEqualTo(SignedTokens.State.STARTING);

            issuer.answerAgain();
            ((TokenCheck.Later) check).known().toCompletableFuture().join();
            assertThat(tokens.check(OLD.token(tokens.claims()))).isInstanceOf(TokenCheck.Good.class);
        }
    }

    /** So long that only an answer ends a wait. */
    private static KeyRing.Pace patient() {
        return pace(Checked.PACE.refresh(), Duration.ofSeconds(30));
    }

    /** Keys are fetched again and again. */
    private static KeyRing.Pace hasty() {
        return pace(Duration.ofMillis(50), Checked.PACE.patience());
    }

    private static KeyRing.Pace pace(Duration refresh, Duration patience) {
        KeyRing.Pace usual = Checked.PACE;
        return new KeyRing.Pace(refresh, usual.apart(), patience, usual.firstPause(), usual.longestPause());
    }
}
