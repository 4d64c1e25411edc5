package dev.weir.admin;

import dev.weir.rest.Schema;

/** What the members of a node's state are. */
final class StateSchema {

    private static final Schema COUNT = Schema.whole(0, Long.MAX_VALUE);
    private static final Schema NAME = Schema.text(255);
    private static final Schema LINE = Schema.text(10_000);

    private StateSchema() {}

    static Schema of() {
        return Schema.of("State")
                .member("node", NAME.meaning("its host"))
                .member("id", NAME.meaning("tells it apart from all others, also on the same host"))
                .member("startedAt", Schema.time())
                .member("ready", Schema.flag().meaning("whether requests are served"))
                .member("policy", policy())
                .member("database", database())
                .member("breakers", Schema.list(breaker()))
                .member("upstreams", Schema.list(target()))
                .member(
                        "exchanges",
                        Schema.of("Exchanges").member("calls", COUNT).member("streams", COUNT))
                .member("bansActive", COUNT)
                .member("buckets", COUNT.meaning("principals that have buckets"))
                .member("memory", Schema.of("Memory").member("used", COUNT).member("max", COUNT))
                .maybe("issuer", Schema.text(32).meaning("how it stands with the issuer of tokens"))
                .maybe("alerts", Schema.list(receiver()))
                .member("nodes", Schema.list(node()));
    }

    private static Schema policy() {
        Schema problem = Schema.of("PolicyProblem")
                .member("table", Schema.text(64))
                .member("row", LINE)
                .member("rule", LINE);
        return Schema.of("PolicyState")
                .member("inForce", Schema.flag().meaning("whether what is in force is what the tables say"))
                .member("problems", Schema.list(problem));
    }

    private static Schema database() {
        return Schema.of("DatabaseState")
                .member("up", Schema.flag())
                .maybe("trouble", LINE)
                .maybe("listener", Schema.oneOf("listening", "lost"))
                .member("writesWaiting", COUNT)
                .member("throttlesDropped", COUNT);
    }

    private static Schema breaker() {
        return Schema.of("BreakerState")
                .member("route", LINE)
                .member("state", Schema.oneOf("closed", "open", "half_open"))
                .member("since", Schema.time())
                .maybe("nextProbe", Schema.time().orNull());
    }

    private static Schema target() {
        return Schema.of("TargetState")
                .member("route", LINE)
                .member("target", LINE)
                .member("state", Schema.oneOf("up", "down"))
                .member("since", Schema.time())
                .member("by", LINE);
    }

    private static Schema receiver() {
        return Schema.of("ReceiverState")
                .member("target", NAME)
                .maybe("trouble", LINE)
                .member("waiting", COUNT)
                .member("delivered", COUNT)
                .member("failed", COUNT)
                .member("dropped", COUNT);
    }

    private static Schema node() {
        return Schema.of("NodeState")
                .member("node", NAME)
                .member("id", NAME)
                .member("seenAt", Schema.time())
                .member("here", Schema.flag().meaning("whether it is the one that answers"))
                .member("away", Schema.flag().meaning("whether nothing has been heard of it for a while"));
    }
}
