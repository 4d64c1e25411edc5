package dev.weir.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the columns of a route about who may call, and the rows of {@code client_route}, into guards. For one thread. */
final class GuardCompiler {

    private static final String TABLE = "client_route";

    private final List<PolicyRows.ClientRoute> rows;
    private final Problems problems;

    GuardCompiler(List<PolicyRows.ClientRoute> rows, Problems problems) {
        this.rows = rows;
        this.problems = problems;
    }

    /**
     * The guard of a route.
     *
     * @throws IllegalArgumentException if a column of the route cannot work as written
     */
    Guard of(PolicyRows.Route route) {
        PolicyRows.Guard columns = route.guard();
        Map<String, Guard.Entry> clients = new HashMap<>();
        for (PolicyRows.ClientRoute row : rows) {
            if (row.route().equals(route.prefix())) {
                Guard.Entry entry = problems.check(
                        TABLE,
                        row.client() + " " + row.route(),
                        () -> new Guard.Entry(row.allowed(), listed("tools", row.tools())));
                if (entry != null) {
                    clients.put(row.client(), entry);
                }
            }
        }
        return new Guard(listed("access", columns.access()), Scopes.of(columns.scopes()), clients);
    }

    /** Whether a column says {@code listed}, and not {@code all}. */
    static boolean listed(String column, String word) {
        return switch (word) {
            case "all" -> false;
            case "listed" -> true;
            default -> throw new IllegalArgumentException(column + " must be all or listed, not [" + word + "]");
        };
    }
}
