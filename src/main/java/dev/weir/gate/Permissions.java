package dev.weir.gate;

import dev.weir.auth.Caller;
import dev.weir.policy.Guard;
import dev.weir.policy.Route;
import dev.weir.policy.ToolRule;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a caller may do on a route, whatever its limits. */
final class Permissions {

    /**
     * Why a caller may not.
     *
     * @param why    in words, to follow the name of what it may not
     * @param remedy what would help
     * @param scopes those that it needs for what it tried, all of them, where a credential that has them would help
     */
    record Denial(String why, Verdict.Remedy remedy, Set<String> scopes) {}

    private Permissions() {}

    /** Why a caller may not call on a route at all; null if it may. */
    static @Nullable Denial onRoute(Route route, Caller caller) {
        Guard guard = route.guard();
        if (!caller.welcome() || !guard.admits(caller.client())) {
            Verdict.Remedy remedy = caller.proof() == Caller.Proof.NONE ? Verdict.Remedy.LOGIN : Verdict.Remedy.NONE;
            return new Denial("may not be used by this client", remedy, guard.scopes());
        }
        return withScopes(caller, guard.scopes(), Set.of());
    }

    /**
     * Why a caller may not use a tool, or another method; null if it may.
     *
     * @param rule what is written of it
     */
    static @Nullable Denial onTool(Route route, Caller caller, ToolRule rule, boolean tool) {
        ToolRule own = rule.of(caller.client());
        boolean unlisted = tool && route.guard().listsTools(caller.client()) && !rule.lists(caller.client());
        if (own.access() != ToolRule.Access.OPEN || unlisted) {
            return new Denial(why(unlisted ? ToolRule.Access.DENIED : own.access()), Verdict.Remedy.NONE, Set.of());
        }
        return withScopes(caller, own.scopes(), route.guard().scopes());
    }

    /** Which tools a caller may use; null if it may use whatever there is. */
    static @Nullable Predicate<String> visible(Route route, Caller caller) {
        boolean all = route.unregistered().access() == ToolRule.Access.OPEN
                && !route.guard().listsTools(caller.client())
                && route.tools().values().stream().allMatch(rule -> onTool(route, caller, rule, true) == null);
        return all ? null : name -> onTool(route, caller, route.tool(name), true) == null;
    }

    /** @param beside what is needed as well, and there */
    private static @Nullable Denial withScopes(Caller caller, Set<String> needed, Set<String> beside) {
        if (caller.scopes().containsAll(needed)) {
            return null;
        }
        Set<String> all = new TreeSet<>(needed);
        all.addAll(beside);
        return switch (caller.proof()) {
            case NONE -> new Denial("needs a credential", Verdict.Remedy.LOGIN, all);
            case TOKEN -> new Denial("needs a token with the scopes " + all, Verdict.Remedy.SCOPES, all);
            case KEY -> new Denial("may not be used by this client", Verdict.Remedy.NONE, Set.of());
        };
    }

    private static String why(ToolRule.Access access) {
        return switch (access) {
            case DISABLED -> "is switched off at this gateway";
            case UNREGISTERED -> "is not registered at this gateway";
            default -> "may not be called by this client";
        };
    }
}
