package dev.weir.admin;

import dev.weir.auth.ClientAddress;
import dev.weir.auth.Principal;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyRows;
import dev.weir.rest.Problem;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whom a ban by hand is of: a principal as somebody has typed it. Immutable.
 *
 * @param key  its key, as callers are looked up by it
 * @param note what the operator should know of it, as sentences; null if nothing
 */
record Banned(String key, @Nullable String note) {

    private static final Pattern KEY = Pattern.compile("key:[0-9a-f]{16}");
    private static final Pattern AGENT = Pattern.compile("agent:(\\S+) ([0-9a-f]{16})");
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");
    private static final String RULE =
            "must be client:ID, user:SUBJECT, key: and the first 16 hexadecimal digits of its"
                    + " digest, address:ADDRESS, or agent:ADDRESS and the 16 digits that tell agents apart";

    /** @throws Problem if there can be no principal of this key */
    static Banned of(String typed, Policy policy) throws Problem {
        int colon = typed.indexOf(':');
        String name = typed.substring(colon + 1);
        if (colon < 0 || name.isBlank() || CONTROL.matcher(typed).find()) {
            throw unknown(typed);
        }
        return switch (typed.substring(0, colon)) {
            case "client" -> client(typed, name, policy.rows());
            case "user" -> renamed(typed, user(name));
            case "address" -> renamed(typed, "address:" + address(typed, name));
            case "key" -> key(typed, policy.rows());
            case "agent" -> agent(typed);
            default -> throw unknown(typed);
        };
    }

    private static Banned client(String typed, String id, PolicyRows rows) {
        for (PolicyRows.Client client : rows.clients()) {
            if (client.id().equals(id)) {
                return new Banned(typed, client.exempt() ? exempt(id) : null);
            }
        }
        return new Banned(typed, "There is no client [" + id + "] now; the ban holds for whoever is called so.");
    }

    private static Banned key(String typed, PolicyRows rows) throws Problem {
        if (!KEY.matcher(typed).matches()) {
            throw unknown(typed);
        }
        for (PolicyRows.ClientKey key : rows.clientKeys()) {
            if (Principal.key(key.sha256()).key().equals(typed)) {
                boolean exempt =
                        rows.clients().stream().anyMatch(client -> client.id().equals(key.client()) && client.exempt());
                return new Banned(typed, exempt ? exempt(key.client()) : null);
            }
        }
        return new Banned(typed, "There is no key of this digest now.");
    }

    private static Banned agent(String typed) throws Problem {
        var parts = AGENT.matcher(typed);
        if (!parts.matches()) {
            throw unknown(typed);
        }
        return renamed(typed, "agent:" + address(typed, parts.group(1)) + " " + parts.group(2));
    }

    /** The digest of a subject stands for itself. */
    private static String user(String subject) {
        return subject.matches("~[0-9a-f]{64}")
                ? "user:" + subject
                : Principal.user(subject).key();
    }

    /** What an address counts as; blocks may be typed as such. */
    private static String address(String typed, String address) throws Problem {
        String literal = address.replaceFirst("/64$", "");
        if (!ClientAddress.isLiteral(literal)) {
            throw Problem.faulty("principal", typed, "must have an address of IPv4 or IPv6");
        }
        return ClientAddress.block(literal);
    }

    private static Banned renamed(String typed, String key) {
        return new Banned(
                key,
                key.equals(typed)
                        ? null
                        : "What [" + typed + "] calls is counted under [" + key + "], which is banned.");
    }

    private static String exempt(String client) {
        return "The client [" + client + "] is exempt: bans do not stop it, for as long as it is.";
    }

    private static Problem unknown(String typed) {
        return Problem.faulty("principal", typed, RULE);
    }
}
