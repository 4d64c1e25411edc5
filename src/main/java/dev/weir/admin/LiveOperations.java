package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.rest.Answer;
import dev.weir.rest.Operation;
import java.util.List;

/** How a node stands, and what all nodes are at. */
public final class LiveOperations {

    private final Node node;
    private final Live live;

    public LiveOperations(Node node, Live live) {
        this.node = node;
        this.live = live;
    }

    /** All of them. */
    public List<Operation> all() {
        return List.of(
                Operation.get(
                        "/v1/state",
                        Role.VIEWER,
                        "getState",
                        "Says how this node stands with everything that it works with.",
                        StateSchema.of(),
                        ask -> Answer.json(node.state())),
                new Operation(
                        "GET",
                        "/v1/live",
                        Role.VIEWER,
                        "watchLive",
                        "Tells, as server-sent events, what all nodes are at: first the past of this one, then the present, again"
                                + " and again.",
                        List.of(),
                        null,
                        null,
                        ask -> live.watch(ask.operator())));
    }
}
