package dev.weir.gate;

import dev.weir.auth.Bearer;
import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.auth.Token;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyRows;
import dev.weir.policy.Route;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Puts callers together from what the policy says of a principal, for whoever asks about one that is not calling. */
public final class Callers {

    private Callers() {}

    /**
     * The caller that is counted under a principal. What a token would have brought is taken to be enough: which scopes a token has
     * is known only once it is shown.
     *
     * @return null if the policy knows no such client, or no such key
     */
    public static @Nullable Caller of(Policy policy, Principal principal) {
        return switch (principal.kind()) {
            case CLIENT -> client(policy, principal, principal.name());
            case KEY ->
                policy.rows().clientKeys().stream()
                        .filter(key -> key.revokedAt() == null
                                && Principal.key(key.sha256()).equals(principal))
                        .findFirst()
                        .map(key -> client(policy, principal, key.client()))
                        .orElse(null);
            case USER -> user(policy, principal);
            case ADDRESS, AGENT -> new Caller(principal, principal, null, Caller.Proof.NONE, Set.of(), false, true);
        };
    }

    /** Whether the scopes of a caller are no more than taken to be enough. */
    public static boolean assumesScopes(Caller caller) {
        return caller.proof() == Caller.Proof.TOKEN;
    }

    private static @Nullable Caller client(Policy policy, Principal principal, String id) {
        PolicyRows rows = policy.rows();
        Optional<PolicyRows.Client> found =
                rows.clients().stream().filter(row -> row.id().equals(id)).findFirst();
        if (found.isEmpty()) {
            return null;
        }
        PolicyRows.Client row = found.get();
        Predicate<String> own = id::equals;
        boolean byToken = rows.clientKeys().stream().noneMatch(key -> own.test(key.client()))
                && rows.clientTokens().stream().anyMatch(token -> own.test(token.client()));
        Set<String> scopes = byToken ? everyScope(policy) : words(row.scopes());
        Caller.Proof proof = byToken ? Caller.Proof.TOKEN : Caller.Proof.KEY;
        return new Caller(principal, Principal.client(id), id, proof, scopes, row.exempt(), row.enabled());
    }

    private static Caller user(Policy policy, Principal principal) {
        Bearer bearer = policy.bearer(new Token(principal.name(), null, everyScope(policy)));
        return new Caller(
                principal,
                principal,
                bearer.client(),
                Caller.Proof.TOKEN,
                everyScope(policy),
                bearer.exempt(),
                bearer.welcome());
    }

    private static Set<String> everyScope(Policy policy) {
        Set<String> scopes = new HashSet<>();
        for (Route route : policy.routes()) {
            scopes.addAll(route.guard().scopes());
            route.tools().values().forEach(tool -> scopes.addAll(tool.scopes()));
            route.methods().values().forEach(method -> scopes.addAll(method.scopes()));
        }
        return scopes;
    }

    private static Set<String> words(String scopes) {
        return scopes.isEmpty() ? Set.of() : Set.copyOf(List.of(scopes.split(" ", -1)));
    }
}
