package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.gate.Strays;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tools that were called at this node, and that no row names. */
public final class StrayOperations {

    private static final int MOST = 500;

    private final Strays strays;
    private final PolicyBook policies;

    public StrayOperations(Strays strays, PolicyBook policies) {
        this.strays = strays;
        this.policies = policies;
    }

    /** All of them. */
    public List<Operation> all() {
        Schema item = Schema.of("UnregisteredTool")
                .member("route", Schema.text(2_048))
                .member("name", Schema.text(255))
                .member("calls", Schema.whole(0, Long.MAX_VALUE).meaning("since this node has first seen it"))
                .member("lastAt", Schema.time());
        Schema answer = Schema.of("UnregisteredTools")
                .member("items", Schema.list(item))
                .member("unnamed", Schema.whole(0, Long.MAX_VALUE).meaning("calls for whose names there was no room"));
        return List.of(Operation.get(
                        "/v1/unregistered-tools",
                        Role.VIEWER,
                        "listUnregisteredTools",
                        "Lists the tools that were called at this node and have no row, the most called first.",
                        answer,
                        this::list)
                .taking(
                        Parameter.query("route", Schema.text(2_048), "only those of this route"),
                        Parameter.query("limit", Schema.whole(1, MOST), "the most items")));
    }

    private Answer list(Ask ask) {
        String route = ask.text("route");
        List<Map<String, Object>> items = new ArrayList<>();
        strays.of(policies.current()).stream()
                .filter(stray -> route == null || route.equals(stray.route()))
                .limit(ask.whole("limit", MOST))
                .forEach(stray -> {
                    Map<String, Object> item = new LinkedHashMap<>();
                    item.put("route", stray.route());
                    item.put("name", stray.name());
                    item.put("calls", stray.calls());
                    item.put("lastAt", Utc.text(stray.lastAt()));
                    items.add(item);
                });
        return Answer.json(Map.of("items", items, "unnamed", strays.unnamed()));
    }
}
