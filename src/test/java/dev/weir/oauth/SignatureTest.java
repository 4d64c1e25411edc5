package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import dev.weir.auth.Token;
import dev.weir.auth.TokenCheck;
import dev.weir.issuer.TestIssuer;
import dev.weir.issuer.TestKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which signatures are good: those of the issuer's keys, by algorithms that these are for. */
@Timeout(60)
class SignatureTest {

    private static final TestKey RSA = TestKey.of("RS256", "rsa");
    private static final TestKey FOREIGN = TestKey.of("RS256", "rsa");
    private static final TestKey EC = TestKey.of("ES256", "ec");
    private static final TestKey ED = TestKey.of("EdDSA", "ed");

    private static final List<TestKey> KEYS = Stream.of(
                    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
            .map(name -> name.startsWith("RS") || name.startsWith("PS") ? RSA.as(name, name) : TestKey.of(name, name))
            .toList();

    private static TestIssuer issuer;
    private static Checked checked;

    @BeforeAll
    static void start() throws Exception {
        issuer = TestIssuer.start(
                Stream.concat(Stream.of(RSA, EC, ED), KEYS.stream()).toArray(TestKey[]::new));
        checked = Checked.of(issuer);
    }

    @AfterAll
    static void stop() {
        checked.close();
        issuer.close();
    }

    static List<TestKey> all() {
        return KEYS;
    }

    @ParameterizedTest
    @MethodSource("all")
    void eachAlgorithmIsTaken(TestKey key) {
        TestKey foreign = key.id().startsWith("RS") || key.id().startsWith("PS")
                ? FOREIGN.as(key.id(), key.id())
                : TestKey.of(key.id(), key.id());

        assertThat(checked.check(key.token(checked.claims())))
                .isEqualTo(new TokenCheck.Good(new Token("alice", "agent-7", Set.of("tools:read", "tools:write"))));
        assertThat(checked.check(foreign.token(checked.claims())))
                .isEqualTo(new TokenCheck.Bad("the token's signature is not good"));
    }

    @Test
    void oneCharacterMoreOrLessIsAnotherToken() {
        String token = RSA.token(checked.claims());
        int payload = token.indexOf('.') + 5;
        String changed =
                token.substring(0, payload) + (token.charAt(payload) == 'A' ? 'B' : 'A') + token.substring(payload + 1);

        assertThat(checked.check(token)).isInstanceOf(TokenCheck.Good.class);
        assertThat(checked.check(changed)).isInstanceOf(TokenCheck.Bad.class);
        assertThat(checked.check(token.substring(0, token.length() - 4))).isInstanceOf(TokenCheck.Bad.class);
        assertThat(checked.check(token + "AAAA")).isInstanceOf(TokenCheck.Bad.class);
    }

    /** A key is never used by the rules of another family, and what everybody knows is no secret. */
    static List<String> confusions() {
        Map<String, Object> claims = checked.claims();
        List<String> tokens = new ArrayList<>();
        tokens.add(TestKey.part(Map.of("alg", "none")) + "." + TestKey.part(claims) + ".");
        tokens.add(TestKey.part(Map.of("alg", "None", "kid", "rsa")) + "." + TestKey.part(claims) + ".");
        Map<String, Object> hs = Map.of("alg", "HS256", "kid", "rsa");
        tokens.add(TestKey.hmac(RSA.publicKey().getEncoded(), hs, claims));
        byte[] jwk = JSONObjectUtils.toJSONString(RSA.jwk()).getBytes(StandardCharsets.UTF_8);
        tokens.add(TestKey.hmac(jwk, hs, claims));
        tokens.add(EC.token(Map.of("alg", "ES256", "kid", "rsa"), claims));
        tokens.add(EC.token(Map.of("alg", "RS256", "kid", "ec"), claims));
        tokens.add(EC.token(Map.of("alg", "ES512", "kid", "ec"), claims));
        tokens.add(EC.token(Map.of("alg", "ES256K", "kid", "ec"), claims));
        tokens.add(ED.token(Map.of("alg", "ES256", "kid", "ed"), claims));
        tokens.add(RSA.token(Map.of("alg", "RS512", "kid", "rsa"), claims));
        tokens.add(RSA.token(Map.of("alg", "PS256", "kid", "rsa"), claims));
        tokens.add(RSA.token(Map.of("alg", "RS256", "kid", "ec"), claims));
        return tokens;
    }

    @ParameterizedTest
    @MethodSource("confusions")
    void noTokenChoosesHowAKeyIsUsed(String token) {
        assertThat(checked.check(token)).isInstanceOf(TokenCheck.Bad.class);
        assertThat(checked.tokens().known(token)).isNull();
    }

    @Test
    void aTokenBringsNoKeyOfItsOwnAndNoAddressOfOne() throws Exception {
        long asked = issuer.asked().size();
        String elsewhere = issuer.issuer() + "/elsewhere";
        for (Map<String, Object> extra : List.<Map<String, Object>>of(
                Map.of("jwk", FOREIGN.jwk()), Map.of("jku", elsewhere), Map.of("x5u", elsewhere))) {
            Map<String, Object> header = new LinkedHashMap<>(Map.of("alg", "RS256", "kid", "rsa"));
            header.putAll(extra);
            assertThat(checked.check(FOREIGN.token(header, checked.claims())))
                    .isEqualTo(new TokenCheck.Bad("the token's signature is not good"));
            assertThat(checked.check(RSA.token(header, checked.claims()))).isInstanceOf(TokenCheck.Good.class);
        }
        assertThat(issuer.asked()).hasSize((int) asked);
    }

    @Test
    void aKeyIsUsedForNothingElseThanItSays() throws Exception {
        for (Map<String, Object> said : List.<Map<String, Object>>of(
                Map.of("use", "enc"), Map.of("key_ops", List.of("encrypt")), Map.of("alg", "RS512"))) {
            Map<String, Object> jwk = new LinkedHashMap<>(RSA.jwk());
            jwk.putAll(said);
            KeySet set = KeySet.parse(JSONObjectUtils.toJSONString(Map.of("keys", List.of(jwk, EC.jwk()))));
            String token = RSA.token(checked.claims());
            assertThat(set.verify(JWSObject.parse(token))).isNotEqualTo(KeySet.Answer.GOOD);
        }
    }

    @Test
    void aTokenThatNamesNoKeyIsCheckedWithAll() {
        assertThat(checked.check(EC.token(Map.of("alg", "ES256"), checked.claims())))
                .isInstanceOf(TokenCheck.Good.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"at+jwt", "AT+JWT", "application/at+jwt", "JWT"})
    void typesOfAccessTokensAreTaken(String type) {
        assertThat(checked.check(RSA.token(Map.of("alg", "RS256", "kid", "rsa", "typ", type), checked.claims())))
                .isInstanceOf(TokenCheck.Good.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dpop+jwt", "logout+jwt", "id_token", ""})
    void otherTypesAreNot(String type) {
        assertThat(checked.check(RSA.token(Map.of("alg", "RS256", "kid", "rsa", "typ", type), checked.claims())))
                .isInstanceOf(TokenCheck.Bad.class);
    }

    @Test
    void whatATokenCallsCriticalIsNotKnownHere() {
        Map<String, Object> crit = Map.of("alg", "RS256", "kid", "rsa", "crit", List.of("b64"), "b64", true);
        assertThat(checked.check(RSA.token(crit, checked.claims()))).isInstanceOf(TokenCheck.Bad.class);
        Map<String, Object> raw = Map.of("alg", "RS256", "kid", "rsa", "b64", false);
        assertThat(checked.check(RSA.token(raw, checked.claims()))).isInstanceOf(TokenCheck.Bad.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "...",
                "....",
                "a.b.c",
                "weir_some-api-key",
                "eyJhbGciOiJSUzI1NiJ9..",
                "é.é.é",
                "eyJhbGciOiJSUzI1NiJ9.e30.AAAA",
                "eyJhbGciOiJSUzI1NiJ9.W10.AAAA",
                "e30.e30.AAAA",
                "bnVsbA.e30.AAAA"
            })
    void whatIsNoTokenIsBad(String token) {
        assertThat(checked.check(token)).isInstanceOf(TokenCheck.Bad.class);
    }

    @Test
    void hugeAndDeepTokensAreBadAndNothingBreaks() {
        String deep = Base64URL.encode("[".repeat(6_000)).toString();
        String deepMember = Base64URL.encode("{\"alg\":\"RS256\",\"x\":" + "[".repeat(3_000) + "]".repeat(3_000) + "}")
                .toString();
        String claims = TestKey.part(checked.claims());
        for (String token : List.of(
                deep + "." + claims + ".AAAA",
                deepMember + "." + claims + ".AAAA",
                TestKey.part(Map.of("alg", "RS256", "kid", "rsa")) + "." + deep + ".AAAA",
                "a".repeat(8_192),
                ".".repeat(8_192),
                RSA.token(checked.claims()) + "A".repeat(7_000))) {
            assertThat(checked.check(token)).isInstanceOf(TokenCheck.Bad.class);
        }
    }
}
