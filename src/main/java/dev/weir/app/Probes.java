package dev.weir.app;

import dev.weir.policy.PolicyProblem;
import dev.weir.proxy.Exchanges;
import dev.weir.web.ProbeServlet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the probes are told. */
final class Probes {

    private Probes() {}

    static ProbeServlet.Answer live() {
        return new ProbeServlet.Answer(true, Map.of("status", "up"));
    }

    static ProbeServlet.Answer ready(PolicyKeeper keeper) {
        if (keeper.isLoaded()) {
            return new ProbeServlet.Answer(true, Map.of("status", "ready"));
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", "not_ready");
        members.put("reason", reason(keeper.problems()));
        return new ProbeServlet.Answer(false, members);
    }

    static ProbeServlet.Answer health(PolicyKeeper keeper, Exchanges exchanges) {
        List<PolicyProblem> problems = keeper.problems();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", problems.isEmpty() ? "up" : "degraded");
        members.put("policy", problems.isEmpty() ? "in force" : reason(problems));
        members.put("exchanges", exchanges.size());
        return new ProbeServlet.Answer(true, members);
    }

    private static String reason(List<PolicyProblem> problems) {
        return problems.isEmpty() ? "no policy has been read yet" : "policy rejected: " + problems.get(0);
    }
}
