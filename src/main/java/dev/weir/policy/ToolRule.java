package dev.weir.policy;

import dev.weir.limit.Charge;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What calls of one tool get, or calls of one method other than {@code tools/call}. Immutable.
 *
 * @param name      the tool's name, or the method's; empty for all unregistered tools
 * @param access    whether it may be called at all
 * @param scopes    what a caller has to have for it, beside what the route asks for
 * @param charge    what a call is charged, all levels
 * @param overrides what clients get that an operator has decided otherwise for, by their ids; without overrides themselves
 */
public record ToolRule(String name, Access access, Set<String> scopes, Charge charge, Map<String, ToolRule> overrides) {

    /** Whether a tool may be called. */
    public enum Access {
        OPEN,
        /** Its row says that it is not enabled. */
        DISABLED,
        /** It has no row, and tools without one are refused. */
        UNREGISTERED,
        /** This client may not call it, or only listed ones may. */
        DENIED
    }

    public ToolRule {
        scopes = Set.copyOf(scopes);
        overrides = Map.copyOf(overrides);
    }

    /** One without scopes. */
    public ToolRule(String name, Access access, Charge charge, Map<String, ToolRule> overrides) {
        this(name, access, Set.of(), charge, overrides);
    }

    /** Whether a client is listed for it. */
    public boolean lists(@Nullable String client) {
        return client != null && overrides.containsKey(client) && of(client).access() == Access.OPEN;
    }

    /** What calls by one client get. */
    public ToolRule of(@Nullable String client) {
        if (client == null || overrides.isEmpty()) {
            return this;
        }
        return overrides.getOrDefault(client, this);
    }
}
