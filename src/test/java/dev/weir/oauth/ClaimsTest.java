package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.util.JSONObjectUtils;
import dev.weir.auth.Token;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a token has to say, to the second. */
class ClaimsTest {

    private static final long NOW = 1_800_000_000L;
    private static final TokenRules RULES =
            new TokenRules("https://login.example/", Set.of("gw", "https://gw.example/mcp"), Duration.ofSeconds(30));

    private static Map<String, Object> with(String claim, @Nullable Object value) {
        Map<String, Object> said = new LinkedHashMap<>(
                Map.of("iss", "https://login.example/", "aud", "gw", "sub", "alice", "exp", NOW + 60));
        if (value == null) {
            said.remove(claim);
        } else {
            said.put(claim, value);
        }
        return said;
    }

    private static Token token(Map<String, Object> said) throws Exception {
        return Claims.check(said, RULES, NOW * 1000).token();
    }

    private static void assertBad(Map<String, Object> said, String why) {
        assertThatThrownBy(() -> token(said))
                .isInstanceOf(BadTokenException.class)
                .hasMessageContaining(why);
    }

    /** O60: an audience is a string or an array, compared exactly, and there has to be one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[\"x\",\"gw\"] | true",
                "[\"gw\"] | true",
                "\"gw\" | true",
                "[\"gw\",\"x\"] | true",
                "\"https://gw.example/mcp\" | true",
                "[] | false",
                "null | false",
                "\"gw2\" | false",
                "\"GW\" | false",
                "\"gw \" | false",
                "\"g\" | false",
                "\"\" | false",
                "\"https://gw.example/mcp/\" | false",
                "\"https://gw.example\" | false",
                "[\"GW\",\"x\"] | false",
                "[\"gw x\"] | false",
                "[[\"gw\"]] | false",
                "[\"gw\",1] | false",
                "{\"gw\":true} | false",
                "7 | false",
                "true | false"
            })
    void anAudienceIsOneStringOrAnArrayOfThem(String audience, boolean good) throws Exception {
        @Nullable
        Object value = JSONObjectUtils.parse("{\"aud\":" + audience + "}").get("aud");
        if (good) {
            assertThat(token(with("aud", value)).subject()).isEqualTo("alice");
        } else {
            assertBad(with("aud", value), "audience");
        }
    }

    @Test
    void aTokenWithoutAnAudienceIsForNobody() {
        assertBad(with("aud", null), "audience");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"https://login.example", "https://LOGIN.example/", "http://login.example/", "", "login.example"})
    void anIssuerIsNamedExactly(String issuer) {
        assertBad(with("iss", issuer), "issuer");
    }

    @ParameterizedTest
    @CsvSource({"-29, true", "-30, false", "-31, false", "0, true", "60, true"})
    void aTokenEndsTheClockSkewAfterItSays(long seconds, boolean good) throws Exception {
        Map<String, Object> said = with("exp", NOW + seconds);
        if (good) {
            assertThat(Claims.check(said, RULES, NOW * 1000).endsMillis()).isEqualTo((NOW + seconds + 30) * 1000);
        } else {
            assertBad(said, "expired");
        }
    }

    @ParameterizedTest
    @CsvSource({"nbf, 30, true", "nbf, 31, false", "nbf, -1000, true", "iat, 30, true", "iat, 31, false"})
    void aTokenBeginsTheClockSkewBeforeItSays(String claim, long seconds, boolean good) throws Exception {
        Map<String, Object> said = with(claim, NOW + seconds);
        if (good) {
            assertThat(token(said)).isNotNull();
        } else {
            assertBad(said, claim.equals("nbf") ? "not good yet" : "in the future");
        }
    }

    static Stream<Object> noTimes() {
        return Stream.of("1800000060", true, List.of(NOW + 60), 1e300, -1e300, Double.NaN, Long.MAX_VALUE);
    }

    @ParameterizedTest
    @MethodSource("noTimes")
    void aTimeIsANumberOfSeconds(Object value) {
        for (String claim : List.of("exp", "nbf", "iat")) {
            assertBad(with(claim, value), claim + " is no time");
        }
    }

    @Test
    void aTokenHasAnEnd() {
        assertBad(with("exp", null), "no end");
    }

    @Test
    void aTimeMayHaveAFraction() throws Exception {
        assertThat(Claims.check(with("exp", NOW + 0.5), RULES, NOW * 1000).endsMillis())
                .isEqualTo(NOW * 1000 + 500 + 30_000);
    }

    static Stream<Object> noNames() {
        return Stream.of("", " ", "a".repeat(256), "a\nb", "a\u0000", "\ud800", 7, List.of("alice"));
    }

    @ParameterizedTest
    @MethodSource("noNames")
    void namesAreTextThatCanBeWrittenDown(Object value) {
        for (String claim : List.of("sub", "client_id", "azp")) {
            assertBad(with(claim, value), claim);
        }
    }

    @Test
    void aTokenHasASubject() {
        assertBad(with("sub", null), "subject");
    }

    static Stream<Arguments> clients() {
        return Stream.of(Arguments.of("c", "a", "c"), Arguments.of(null, "a", "a"), Arguments.of(null, null, null));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void theClientIsClientIdElseAzp(@Nullable String clientId, @Nullable String azp, @Nullable String expected)
            throws Exception {
        Map<String, Object> said = with("client_id", clientId);
        if (azp != null) {
            said.put("azp", azp);
        }
        assertThat(token(said).clientId()).isEqualTo(expected);
    }

    static Stream<Arguments> scopes() {
        return Stream.of(
                Arguments.of("a b", null, Set.of("a", "b")),
                Arguments.of(List.of("a", "b"), null, Set.of("a", "b")),
                Arguments.of(null, "a b", Set.of("a", "b")),
                Arguments.of(null, List.of("a"), Set.of("a")),
                Arguments.of("a", "b", Set.of("a")),
                Arguments.of("  a   b a ", null, Set.of("a", "b")),
                Arguments.of("", "b", Set.of()),
                Arguments.of(List.of("a b"), null, Set.of("a b")),
                Arguments.of(null, null, Set.of()));
    }

    @ParameterizedTest
    @MethodSource("scopes")
    void scopesAreWordsOrAList(@Nullable Object scope, @Nullable Object scp, Set<String> expected) throws Exception {
        Map<String, Object> said = with("scope", scope);
        if (scp != null) {
            said.put("scp", scp);
        }
        assertThat(token(said).scopes()).isEqualTo(expected);
    }

    @Test
    void scopesThatAreNoWordsAreNotGuessedAt() {
        for (Object value : Arrays.asList(7, List.of(7), Map.of("a", true), true)) {
            assertBad(with("scope", value), "scope");
            assertBad(with("scp", value), "scp");
        }
    }
}
