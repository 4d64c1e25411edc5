package dev.weir.admin;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.auth.Role;
import dev.weir.gate.Callers;
import dev.weir.gate.Explainer;
import dev.weir.gate.Explanation;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.util.List;

/** Says what would be decided of a call now, and why. */
public final class ExplainOperations {

    private static final int LONGEST = 2_048;

    private final PolicyBook policies;
    private final Explainer explainer;

    public ExplainOperations(PolicyBook policies, Explainer explainer) {
        this.policies = policies;
        this.explainer = explainer;
    }

    /** All of them. */
    public List<Operation> all() {
        return List.of(Operation.get(
                        "/v1/explain",
                        Role.VIEWER,
                        "explain",
                        "Says what would be decided of a call now, level by level, and takes nothing.",
                        ExplanationText.schema(),
                        this::explain)
                .taking(
                        Parameter.query("principal", Schema.words(LONGEST), "who calls: client:ID, user:…, address:…"),
                        Parameter.query("route", Schema.words(LONGEST), "the path prefix of a route"),
                        Parameter.query("tool", Schema.words(LONGEST), "the tool that is called"),
                        Parameter.query("method", Schema.words(LONGEST), "the method, if it is not a call of a tool")));
    }

    private Answer explain(Ask ask) {
        Policy policy = policies.current();
        String route = required(ask, "route");
        String tool = ask.text("tool");
        String method = ask.text("method");
        if (tool != null && method != null) {
            throw Problem.faulty(
                    400, "not_valid", List.of(new Problem.Fault("method", method, "must not stand beside a tool")));
        }
        if (policy.routes().stream().noneMatch(each -> each.prefix().equals(route))) {
            throw Problem.notFound("route [" + route + "] in force");
        }
        Caller caller = caller(policy, required(ask, "principal"));
        Explanation explanation = explainer.explain(caller, route, tool, method);
        return Answer.json(new ExplanationText(explanation, caller, tool != null ? tool : method).members());
    }

    private static Caller caller(Policy policy, String principal) {
        Principal known;
        try {
            known = Principal.of(principal);
        } catch (IllegalArgumentException e) {
            throw Problem.faulty(
                    400,
                    "not_valid",
                    List.of(new Problem.Fault("principal", principal, String.valueOf(e.getMessage()))));
        }
        Caller caller = Callers.of(policy, known);
        if (caller == null) {
            throw Problem.notFound("principal [" + principal + "] in the policy in force");
        }
        return caller;
    }

    private static String required(Ask ask, String name) {
        String value = ask.text(name);
        if (value == null) {
            throw Problem.faulty(400, "not_valid", List.of(new Problem.Fault(name, null, "is missing")));
        }
        return value;
    }
}
