package dev.weir.ban;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** A history that keeps bans in memory, and commits at once or, while it is away, later. */
public final class MemoryHistory implements BanHistory {

    private record Write(Runnable write, CompletableFuture<Void> done) {}

    private final Map<String, Ban> rows = new LinkedHashMap<>();
    private final Map<String, String> lifted = new LinkedHashMap<>();
    private final List<Ban> recorded = new ArrayList<>();
    private final List<Write> waiting = new ArrayList<>();
    private List<Ban> known = List.of();
    private boolean away;

    /** All bans that were handed in, in this order. */
    public List<Ban> recorded() {
        return recorded;
    }

    /** Lets writes wait. */
    void away() {
        away = true;
    }

    /** Commits what has waited. */
    void back() {
        away = false;
        waiting.forEach(this::commit);
        waiting.clear();
    }

    /** Puts a row there, as another node or an operator would. */
    void put(Ban ban) {
        rows.put(ban.id(), ban);
    }

    /** Lifts a ban, as another node or an operator would. */
    void liftByHand(String id) {
        lifted.put(id, "by hand");
    }

    Map<String, String> lifted() {
        return lifted;
    }

    @Override
    public CompletionStage<Void> record(Ban ban) {
        recorded.add(ban);
        return write(() -> rows.put(ban.id(), ban));
    }

    @Override
    public CompletionStage<Boolean> lift(String id, String by, String reason, Instant at) {
        boolean[] done = {false};
        return write(() -> done[0] = rows.containsKey(id) && lifted.putIfAbsent(id, by + ": " + reason) == null)
                .thenApply(nothing -> done[0]);
    }

    @Override
    public BanChanges changes(Instant now) {
        List<Ban> active = activeAt(now);
        List<Ban> holding = active.stream().filter(ban -> !known.contains(ban)).toList();
        Set<String> ids = active.stream().map(Ban::id).collect(Collectors.toSet());
        List<Ban> gone = known.stream().filter(ban -> !ids.contains(ban.id())).toList();
        known = active;
        return new BanChanges(holding, gone);
    }

    private List<Ban> activeAt(Instant now) {
        return rows.values().stream()
                .filter(ban -> !lifted.containsKey(ban.id()) && ban.expiresAt().isAfter(now))
                .toList();
    }

    @Override
    public List<Precedent> precedents(Instant after, Instant by) {
        Map<String, Precedent> latest = new LinkedHashMap<>();
        activeAt(after).stream()
                .filter(ban -> ban.strikes() > 0 && !ban.expiresAt().isAfter(by))
                .sorted(Comparator.comparing(Ban::expiresAt))
                .forEach(ban -> latest.put(
                        ban.principal(), new Precedent(ban.principal(), ban.id(), ban.expiresAt(), ban.escalation())));
        return List.copyOf(latest.values());
    }

    private CompletionStage<Void> write(Runnable write) {
        Write pending = new Write(write, new CompletableFuture<>());
        if (away) {
            waiting.add(pending);
        } else {
            commit(pending);
        }
        return pending.done();
    }

    private void commit(Write pending) {
        pending.write().run();
        pending.done().complete(null);
    }
}
