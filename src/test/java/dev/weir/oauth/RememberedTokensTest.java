package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Token;
import dev.weir.auth.TokenCheck;
import dev.weir.issuer.TestIssuer;
import dev.weir.issuer.TestKey;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was found good is known until it ends, and nothing else is. */
@Timeout(60)
class RememberedTokensTest {

    private static final TestKey KEY = TestKey.of("ES256", "k1");

    @Test
    void aGoodTokenIsKnownUntilItEnds() throws Exception {
        try (TestIssuer issuer = TestIssuer.start(KEY);
                Checked tokens = Checked.of(issuer)) {
            String token = KEY.token(tokens.claimsWith("exp", tokens.now() / 1000 + 100));
            assertThat(tokens.tokens().known(token)).isNull();
            assertThat(tokens.check(token)).isInstanceOf(TokenCheck.Good.class);

            assertThat(tokens.tokens().known(token))
                    .isEqualTo(new Token("alice", "agent-7", Set.of("tools:read", "tools:write")));
            tokens.pass(Duration.ofSeconds(129));
            assertThat(tokens.tokens().known(token)).isNotNull();
            tokens.pass(Duration.ofSeconds(1));
            assertThat(tokens.tokens().known(token)).isNull();
            assertThat(tokens.check(token)).isEqualTo(new TokenCheck.Bad("the token has expired"));
        }
    }

    @Test
    void aTokenThatIsNotGoodIsNeverKnown() throws Exception {
        try (TestIssuer issuer = TestIssuer.start(KEY);
                Checked tokens = Checked.of(issuer)) {
            String good = KEY.token(tokens.claims());
            String bad = TestKey.of("ES256", "k1").token(tokens.claims());
            assertThat(tokens.check(good)).isInstanceOf(TokenCheck.Good.class);
            assertThat(tokens.check(bad)).isInstanceOf(TokenCheck.Bad.class);

            assertThat(tokens.tokens().known(bad)).isNull();
            assertThat(tokens.tokens().known(good + "A")).isNull();
            assertThat(tokens.tokens().known(good.substring(0, good.length() - 1)))
                    .isNull();
        }
    }
}
