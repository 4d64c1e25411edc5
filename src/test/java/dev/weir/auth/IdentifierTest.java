package dev.weir.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Under what a caller is counted, strategy by strategy. */
class IdentifierTest {

    private static final String ADDRESS = "192.0.2.1";
    private static final String KEY = "weir_good";

    private final Map<String, ClientKey> keys =
            Map.of(ApiKey.digest(KEY), ClientKey.of("c1", ApiKey.digest(KEY), false));

    private static Clients clients(Map<String, ClientKey> keys) {
        return new Clients() {
            @Override
            public @Nullable ClientKey byKeyDigest(String digest) {
                return keys.get(digest);
            }

            @Override
            public Bearer byToken(Token token) {
                return new Bearer(null, false, true);
            }
        };
    }

    private Identity identify(KeyStrategy strategy, boolean required, @Nullable String key, @Nullable String agent) {
        return new Identifier(clients(keys), Tokens.NONE, strategy, required).identify(null, key, ADDRESS, agent);
    }

    @ParameterizedTest
    @CsvSource({
        // strategy, a good key, no key
        "CLIENT, client:c1, address:192.0.2.1",
        "IP, address:192.0.2.1, address:192.0.2.1",
        "API_KEY, key:585bfc7edf4242b7, address:192.0.2.1",
        "IP_USER_AGENT, agent:192.0.2.1 d26c0650abb48cff, agent:192.0.2.1 d26c0650abb48cff"
    })
    void aStrategySaysUnderWhatACallerIsCountedAndNotWhoItIs(KeyStrategy strategy, String proven, String anonymous) {
        Caller client = identify(strategy, true, KEY, "curl/8").caller();
        assertThat(client.principal().key()).isEqualTo(proven);
        assertThat(client.client()).isEqualTo("c1");
        Caller nobody = identify(strategy, false, null, "curl/8").caller();
        assertThat(nobody.principal().key()).isEqualTo(anonymous);
        assertThat(nobody.client()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void anExemptClientIsExemptUnderWhateverItIsCounted(KeyStrategy strategy) {
        String digest = ApiKey.digest(KEY);
        Map<String, ClientKey> vip = Map.of(digest, ClientKey.of("vip", digest, true));
        Identifier identifier = new Identifier(clients(vip), Tokens.NONE, strategy, false);
        assertThat(identifier.identify(null, KEY, ADDRESS, "a").caller().exempt())
                .isTrue();
        assertThat(identifier.identify(null, null, ADDRESS, "a").caller().exempt())
                .isFalse();
        assertThat(identify(strategy, true, KEY, "a").caller().exempt()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void whoeverHasNotProvenItselfIsCountedUnderItsAddressWhateverTheStrategy(KeyStrategy strategy) {
        for (String agent : new String[] {"curl/8", "curl/9", null}) {
            for (boolean required : new boolean[] {true, false}) {
                assertThat(identify(strategy, required, "bad", agent))
                        .isEqualTo(new Identity.Unproven(Caller.unknown(Principal.address(ADDRESS)), true));
            }
            assertThat(identify(strategy, true, null, agent))
                    .isEqualTo(new Identity.Unproven(Caller.unknown(Principal.address(ADDRESS)), false));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT", "API_KEY"})
    void theCallerOfAKeyIsMadeOnceAndNotForEachCall(KeyStrategy strategy) {
        assertThat(identify(strategy, true, KEY, null).caller())
                .isSameAs(identify(strategy, true, KEY, null).caller());
    }

    @Test
    void noUserAgentIsAsGoodAsAnEmptyOne() {
        assertThat(identify(KeyStrategy.IP_USER_AGENT, false, null, null))
                .isEqualTo(identify(KeyStrategy.IP_USER_AGENT, false, null, ""))
                .isNotEqualTo(identify(KeyStrategy.IP_USER_AGENT, false, null, " "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"address:192.0.2.1", "key:0123456789abcdef", ":", "a:b", " "})
    void noNameOfAClientMakesItAnyOtherPrincipal(String id) {
        assertThat(Principal.client(id))
                .isNotEqualTo(Principal.address("192.0.2.1"))
                .isNotEqualTo(Principal.key("0123456789abcdef"));
        assertThat(Principal.client(id).key()).isEqualTo("client:" + id);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'must be client, ip, api_key, user, ip_user_agent, not []'",
        "Client, 'must be client, ip, api_key, user, ip_user_agent, not [Client]'"
    })
    void aWordThatIsNoStrategyIsRefusedWithThoseThatAre(String word, String message) {
        assertThatThrownBy(() -> KeyStrategy.of(word))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("client, ip, api_key, user, ip_user_agent");
    }
}
