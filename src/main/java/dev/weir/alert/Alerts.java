package dev.weir.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Tells all targets what they want to know of. Whoever has news leaves it here and goes on at once; what it costs is a look-up for
 * each target. Safe for use by many threads.
 */
public final class Alerts implements AutoCloseable {

    private static final Duration TURN = Duration.ofSeconds(1);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(2);

    /** One that tells nobody. */
    public static final Alerts NONE =
            new Alerts(List.of(), "", () -> "", new AlertClocks(() -> Instant.EPOCH, () -> 0));

    private record Line(Sieve sieve, Courier courier) {}

    private final List<Line> lines;
    private final String node;
    private final Supplier<String> ids;
    private final AlertClocks clocks;

    private Alerts(List<Line> lines, String node, Supplier<String> ids, AlertClocks clocks) {
        this.lines = lines;
        this.node = node;
        this.ids = ids;
        this.clocks = clocks;
    }

    /**
     * Begins to deliver.
     *
     * @param node the name of this Weir
     * @param ids  makes up a new id whenever it is asked
     */
    public static Alerts start(
            List<AlertTarget> targets,
            AlertRules rules,
            String node,
            Supplier<String> ids,
            AlertThreads threads,
            AlertClocks clocks) {
        Postman postman = new Postman(rules.delivery(), threads, clocks);
        List<Line> lines = targets.stream()
                .map(target -> new Line(
                        new Sieve(rules.once(), clocks.nanos()), new Courier(target, rules, postman, threads, clocks)))
                .toList();
        Alerts alerts = new Alerts(lines, PlainText.of(node, 100), ids, clocks);
        long pause = TURN.toMillis();
        var unused = threads.timer().scheduleWithFixedDelay(alerts::turn, pause, pause, TimeUnit.MILLISECONDS);
        return alerts;
    }

    /**
     * Tells one target that somebody tries whether alerts arrive, at once and only once.
     *
     * @return done when it is known what came of it: why it was not delivered, or an empty text; never fails
     */
    public static CompletableFuture<String> test(
            AlertTarget target, String node, String id, AlertThreads threads, AlertClocks clocks) {
        Alert alert = new Alert(id, clocks.wall().instant(), PlainText.of(node, 100), HouseNews.test(), 0);
        return new Postman(AlertRules.USUAL.delivery(), threads, clocks)
                .deliver(target, alert)
                .thenApply(Result::reason);
    }

    /** Whether any target wants to know of an event. */
    public boolean isWanted(AlertEvent event) {
        return lines.stream().anyMatch(line -> line.courier().target().wants(event));
    }

    /** Takes news for all who want to know of it. Never waits, and never throws. */
    public void raise(News news) {
        Instant now = clocks.wall().instant();
        for (Line line : lines) {
            if (line.courier().target().wants(news)) {
                deliver(line, line.sieve().offer(news, now));
            }
        }
    }

    private void turn() {
        Instant now = clocks.wall().instant();
        for (Line line : lines) {
            deliver(line, line.sieve().due(now));
            line.courier().tellDropped();
        }
    }

    private void deliver(Line line, List<Sieve.Passed> passed) {
        passed.forEach(
                each -> line.courier().offer(new Alert(ids.get(), each.at(), node, each.news(), each.repeated())));
    }

    /** How it stands with each target, in the order of the targets. */
    public List<AlertState> states() {
        return lines.stream()
                .map(line -> line.courier().state(line.sieve().heldBack()))
                .toList();
    }

    /** Tells what was held back, waits a moment for what is under way, and drops the rest. */
    @Override
    public void close() {
        Instant now = clocks.wall().instant();
        lines.forEach(line -> deliver(line, line.sieve().rest(now)));
        CompletableFuture<?>[] all =
                lines.stream().map(line -> line.courier().stop()).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(all).get(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // What is left is counted as dropped.
        }
        lines.forEach(line -> line.courier().close());
    }
}
