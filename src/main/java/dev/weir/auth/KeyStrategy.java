package dev.weir.auth;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Under what the calls of a caller are counted: who shares buckets, strikes and bans with whom. A caller that has to prove
 * itself and has not is counted under its address, whatever the strategy.
 */
public enum KeyStrategy {

    /**
     * A client with all its keys and tokens; the subject of a token that is no listed client's; whoever proves nothing, where
     * that is allowed, under its address.
     */
    CLIENT("client"),

    /** The address: everybody behind one shares, clients that have proven themselves too. */
    IP("ip"),

    /** Each key by itself, so that a client has as many quotas as keys; a token by its subject; without either, the address. */
    API_KEY("api_key"),

    /**
     * The subject of a token, whatever client it was given to, so that one person has one quota; without a token as {@link
     * #CLIENT}.
     */
    USER("user"),

    /** The address together with the {@code User-Agent} field, which callers choose, and with it how often they get a quota. */
    IP_USER_AGENT("ip_user_agent");

    private final String word;

    KeyStrategy(String word) {
        this.word = word;
    }

    /**
     * The strategy of this word.
     *
     * @throws IllegalArgumentException naming the words that there are, if this is none of them
     */
    public static KeyStrategy of(String word) {
        for (KeyStrategy strategy : values()) {
            if (strategy.word.equals(word)) {
                return strategy;
            }
        }
        throw new IllegalArgumentException("must be " + words() + ", not [" + word + "]");
    }

    private static String words() {
        return Arrays.stream(values()).map(strategy -> strategy.word).collect(Collectors.joining(", "));
    }
}
