package dev.weir.app;

import dev.weir.admin.ExplainOperations;
import dev.weir.admin.Live;
import dev.weir.admin.LiveOperations;
import dev.weir.admin.Neighbours;
import dev.weir.admin.Pulse;
import dev.weir.ban.BanBook;
import dev.weir.gate.Decisions;
import dev.weir.gate.Explainer;
import dev.weir.limit.LocalBuckets;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Operation;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What operators see of what is going on, put together. */
final class LiveDesk implements AutoCloseable {

    private static final Duration BEAT = Duration.ofMillis(250);

    /** On a thread of its own, and from the start: what is live is told also while the database has never been there. */
    private final Housekeeper beats = new Housekeeper(Background.threads("weir-live", 1), System::nanoTime);

    private final Live live;
    private final List<Operation> operations = new ArrayList<>();

    LiveDesk(
            NodeName name,
            Conditions conditions,
            Decisions decisions,
            PolicyBook policies,
            LocalBuckets buckets,
            BanBook bans) {
        Clock clock = Clock.systemUTC();
        Neighbours nobody = new Neighbours() {
            @Override
            public List<Other> others() {
                return List.of();
            }

            @Override
            public boolean isWatched() {
                return false;
            }
        };
        OwnNode node = new OwnNode(name, conditions, bans, buckets, nobody);
        live = new Live(node, new Pulse(decisions, clock, System::nanoTime), nobody, clock);
        operations.addAll(new LiveOperations(node, live).all());
        Explainer explainer = new Explainer(policies, buckets, bans, clock, System::nanoTime);
        operations.addAll(new ExplainOperations(policies, explainer).all());
        beats.every(BEAT, "live", live::beat);
        beats.start();
    }

    /** What can be asked. */
    List<Operation> operations() {
        return operations;
    }

    @Override
    public void close() {
        beats.stop();
        live.close();
    }
}
