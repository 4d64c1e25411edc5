package dev.weir.upstream;

import java.net.URI;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Asks the targets of routes whether they are well, where a route says so, without holding a thread while an answer is waited for.
 * For use by one thread at a time.
 */
public final class HealthChecks {

    private static final long PATIENCE_NANOS = 5_000_000_000L;

    /** What is asked, how, and whom; another question begins anew. */
    private record Key(Upstream at, Fleet.Check check) {}

    private static final class Turn {
        long dueAt;
        HealthProbe probe;

        Turn(long dueAt, HealthProbe probe) {
            this.dueAt = dueAt;
            this.probe = probe;
        }
    }

    private final UpstreamClient client;
    private final Targets targets;
    private final LongSupplier nanoClock;
    private final Map<Key, Turn> turns = new HashMap<>();

    /** @param nanoClock a monotonic clock, in nanoseconds */
    public HealthChecks(UpstreamClient client, Targets targets, LongSupplier nanoClock) {
        this.client = client;
        this.targets = targets;
        this.nanoClock = nanoClock;
    }

    /** Asks whoever is due, and gives up on whoever takes too long. To be called about twice a second. */
    public void run(Collection<Upstream> routes) {
        long now = nanoClock.getAsLong();
        Set<Key> asked = new HashSet<>();
        for (Upstream route : routes) {
            Fleet.Check check = route.fleet().check();
            if (check != null) {
                for (URI target : route.targets()) {
                    Key key = new Key(route.at(target), check);
                    asked.add(key);
                    turn(key, now);
                }
            }
        }
        turns.entrySet().removeIf(turn -> {
            boolean gone = !asked.contains(turn.getKey());
            if (gone) {
                turn.getValue().probe.giveUp("no longer asked");
            }
            return gone;
        });
    }

    /** Whether some question has no answer yet; for whoever runs this. */
    boolean isAsking() {
        return turns.values().stream().anyMatch(turn -> !turn.probe.isOver());
    }

    private void turn(Key key, long now) {
        Turn turn = turns.get(key);
        if (turn != null && !turn.probe.isOver()) {
            if (now - turn.probe.begunAt() > PATIENCE_NANOS) {
                turn.probe.giveUp("no answer within " + PATIENCE_NANOS / 1_000_000_000L + " s");
            }
            return;
        }
        if (turn != null && now - turn.dueAt < 0) {
            return;
        }
        HealthProbe probe = new HealthProbe(
                client, key.at(), key.check(), targets.health(key.at(), key.at().base()), now);
        turns.put(key, new Turn(now + key.check().every().toNanos(), probe));
        probe.begin();
    }
}
