package dev.weir.policy;

import org.jspecify.annotations.Nullable;

/**
 * Whether a route's upstream is told who calls. Immutable; its text shows no secret.
 *
 * @param told   whether it is
 * @param secret what is signed with; null for no signature
 */
public record Introduction(boolean told, @Nullable String secret) {

    /** Says nothing. */
    public static final Introduction NONE = new Introduction(false, null);

    /** As few bytes as the signature has, so that it is not easier to guess. */
    private static final int SHORTEST_SECRET = 32;

    /** @throws IllegalArgumentException if the columns cannot work as written; the message names value and rule */
    static Introduction of(PolicyRows.Guard row, NamedSettings named) {
        return switch (row.identity()) {
            case "none" -> NONE;
            case "plain" -> new Introduction(true, null);
            case "signed" -> new Introduction(true, secret(row.identitySecret(), named));
            default ->
                throw new IllegalArgumentException(
                        "identity must be none, plain or signed, not [" + row.identity() + "]");
        };
    }

    private static String secret(@Nullable String name, NamedSettings named) {
        String secret = name == null ? null : named.secret(name);
        if (secret == null) {
            throw new IllegalArgumentException(
                    "identity_secret names [" + name + "], and there is no setting mcp.secrets." + name);
        }
        if (secret.length() < SHORTEST_SECRET) {
            throw new IllegalArgumentException(
                    "identity_secret names [" + name + "], which is shorter than " + SHORTEST_SECRET + " characters");
        }
        return secret;
    }

    @Override
    public String toString() {
        return "Introduction[told=" + told + ", signed=" + (secret != null) + "]";
    }
}
