package dev.weir.whole;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * What a Weir has to bear until it is killed: agents that loop until they are banned, one after the other, and steady ones that
 * take a token of the tool {@code drip} now and then, after they have run into the cool-down of {@code inspect}.
 */
final class KillLoad implements AutoCloseable {

    /** A ban that has been told: in whose answer, and how long that took. */
    record Announced(String agent, String banId, Instant until, Duration took) {}

    private static final int LOOPS = 6;
    private static final int STEADY = 8;
    private static final Duration PAUSE = Duration.ofMillis(150);
    private static final int CALLS_UNTIL_BANNED = 100;

    private final String name;
    private final AgentCaller caller;
    private final Queue<Announced> announced = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> cooled = new ConcurrentHashMap<>();
    private final List<String> steady;
    private final ExecutorService loops = Executors.newFixedThreadPool(LOOPS);
    private final ScheduledExecutorService pacer = Executors.newScheduledThreadPool(2);
    private final AtomicInteger agents = new AtomicInteger();

    /** @param name what the names of all its agents begin with, so that they are nobody else's */
    KillLoad(String name, URI server) {
        this.name = name;
        this.caller = new AgentCaller(server);
        this.steady =
                IntStream.range(0, STEADY).mapToObj(i -> name + "-steady-" + i).toList();
    }

    void start() throws IOException, InterruptedException {
        for (String agent : steady) {
            AgentCaller.Answer answer = caller.call(agent, "inspect");
            while (answer.admitted()) {
                answer = caller.call(agent, "inspect");
            }
            cooled.put(agent, System.nanoTime());
        }
        for (String agent : steady) {
            var unused = pacer.scheduleAtFixedRate(
                    () -> untilItIsGone(() -> caller.call(agent, "drip")),
                    ThreadLocalRandom.current().nextLong(PAUSE.toMillis()),
                    PAUSE.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
        for (int i = 0; i < LOOPS; i++) {
            loops.execute(() -> untilItIsGone(() -> {
                while (true) {
                    loop(name + "-loop-" + agents.incrementAndGet());
                }
            }));
        }
    }

    private void loop(String agent) throws IOException, InterruptedException {
        for (int calls = 0; calls < CALLS_UNTIL_BANNED; calls++) {
            AgentCaller.Answer answer = caller.call(agent, "inspect");
            if (answer.code() == AgentCaller.BANNED) {
                announced.add(new Announced(
                        agent, answer.told("banId"), Instant.parse(answer.told("bannedUntil")), answer.took()));
                return;
            }
        }
        throw new AssertionError(agent + " was not banned");
    }

    private interface Calls {
        void run() throws IOException, InterruptedException;
    }

    private void untilItIsGone(Calls calls) {
        try {
            calls.run();
        } catch (IOException e) {
            // Weir has been killed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            failures.add(e);
            throw e;
        }
    }

    /** What went wrong other than that Weir was gone. */
    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    /** The bans that have been told so far. */
    List<Announced> announced() {
        return List.copyOf(announced);
    }

    /** Those that take tokens of {@code drip} steadily. */
    List<String> steady() {
        return steady;
    }

    /** When a steady agent was told that its cool-down of {@code inspect} begins, by {@link System#nanoTime}. */
    long cooledAt(String agent) {
        return cooled.getOrDefault(agent, 0L);
    }

    /** Returns when no call is under way any more. */
    @Override
    public void close() {
        pacer.shutdownNow();
        loops.shutdownNow();
        try {
            if (!pacer.awaitTermination(30, TimeUnit.SECONDS) || !loops.awaitTermination(30, TimeUnit.SECONDS)) {
                throw new AssertionError("calls are still under way");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
