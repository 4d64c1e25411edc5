package dev.weir.app;

import dev.weir.admin.BucketOperations;
import dev.weir.admin.ExplainOperations;
import dev.weir.admin.Live;
import dev.weir.admin.LiveOperations;
import dev.weir.admin.Pulse;
import dev.weir.admin.StrayOperations;
import dev.weir.ban.BanBook;
import dev.weir.gate.Decisions;
import dev.weir.gate.Explainer;
import dev.weir.gate.Strays;
import dev.weir.limit.LocalBuckets;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Operation;
import dev.weir.store.JdbcNodes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators see of what is going on, put together. */
final class LiveDesk implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LiveDesk.class);
    private static final Duration BEAT = Duration.ofMillis(250);

    /** What decides, and what is counted there. */
    record Deciding(PolicyBook policies, LocalBuckets buckets, BanBook bans, Decisions decisions, Strays strays) {}

    /** On a thread of its own, and from the start: what is live is told also while the database has never been there. */
    private final Housekeeper beats = new Housekeeper(Background.threads("weir-live", 1), System::nanoTime);

    private final NodeRounds rounds;
    private final Live live;
    private final List<Operation> operations = new ArrayList<>();

    LiveDesk(NodeName name, Conditions conditions, Deciding deciding, JdbcNodes nodes, Clock clock) {
        rounds = new NodeRounds(nodes, name, System::nanoTime);
        OwnNode node = new OwnNode(name, conditions, deciding, rounds, clock);
        live = new Live(node, new Pulse(deciding.decisions(), clock, System::nanoTime), rounds, clock);
        Explainer explainer =
                new Explainer(deciding.policies(), deciding.buckets(), deciding.bans(), clock, System::nanoTime);
        operations.addAll(new LiveOperations(node, live).all());
        operations.addAll(new BucketOperations(deciding.policies(), deciding.buckets(), explainer).all());
        operations.addAll(new ExplainOperations(deciding.policies(), explainer).all());
        operations.addAll(new StrayOperations(deciding.strays(), deciding.policies()).all());
        beats.every(BEAT, "live", live::beat);
        beats.start();
    }

    /** What can be asked. */
    List<Operation> operations() {
        return List.copyOf(operations);
    }

    /** Takes on what is to be done with the database. */
    void takeOn(Housekeeper database) {
        database.every(NodeRounds.PAUSE, "nodes", () -> {
            if (rounds.take(live.hasWatchers(), live::sample)) {
                live.tell();
            }
        });
    }

    /** Says to the other nodes that this one is no more; waits for the database. */
    void leave() {
        try {
            rounds.end();
        } catch (RuntimeException e) {
            LOG.atWarn().setCause(e).log("node_not_taken_away");
        }
    }

    @Override
    public void close() {
        beats.stop();
        live.close();
    }
}
