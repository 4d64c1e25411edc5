package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code kill -9} forgives: nothing that an agent was told, and no more of a bucket than was not saved yet. */
@Timeout(180)
class RestartIT {

    private static final Pattern REMAINING = Pattern.compile("another (\\d+)m (\\d+)s");

    /** Longer than the time between two savings of the buckets. */
    private static final Duration SAVED_WITHIN = Duration.ofMillis(2500);

    @TempDir
    Path directory;

    @Test
    void aBanThatAnAgentWasToldOfIsStillThereAfterAKill() throws Exception {
        String agentKey;
        String dashboardKey;
        try (WeirProcess weir = WeirProcess.demo(directory)) {
            agentKey = weir.key("demo-agent");
            dashboardKey = weir.key("demo-dashboard");
            RawClient agent = RawClient.connect(weir.url(), agentKey);
            RawClient.Answer answer = agent.inspect();
            for (int calls = 1; answer.code() != RunawayLoop.BANNED; calls++) {
                assertThat(calls)
                        .as("calls without a ban, the last one: %s", answer)
                        .isLessThan(50);
                answer = agent.inspect();
            }
            weir.kill();
        }

        try (WeirProcess weir = WeirProcess.demo(directory)) {
            RawClient.Answer first = RawClient.connect(weir.url(), agentKey).inspect();
            assertThat(first.code()).as("%s", first).isEqualTo(RunawayLoop.BANNED);
            assertThat(remaining(first.errorText()))
                    .isGreaterThan(Duration.ofMinutes(13))
                    .isLessThan(Duration.ofMinutes(15));

            RawClient dashboard = RawClient.connect(weir.url(), dashboardKey);
            assertThat(dashboard.echo().admitted()).isTrue();
            assertThat(dashboard.inspect().admitted()).isTrue();
        }
    }

    @Test
    void aDrainedBucketIsNotFullAgainAfterAKill() throws Exception {
        int burst = 40;
        long full;
        String key;
        try (WeirProcess weir = WeirProcess.demo(directory)) {
            long loaded = weir.policiesLoaded();
            // At one token a second, what a restart would wrongly give stands out from what time rightly gives.
            sql("UPDATE tool_tier SET burst = " + burst
                    + ", rate_per_second = 1, cooldown_seconds = 0 WHERE name = 'heavy'");
            weir.awaitPolicy(loaded);
            key = weir.key("demo-agent");
            RawClient agent = RawClient.connect(weir.url(), key);
            full = System.nanoTime();
            assertThat(admittedInARow(agent, burst)).isEqualTo(burst);
            awaitSavedBuckets();
            weir.kill();
        }

        try (WeirProcess weir = WeirProcess.demo(directory)) {
            RawClient agent = RawClient.connect(weir.url(), key);
            int admitted = admittedInARow(agent, burst);
            long secondsSince = Duration.ofNanos(System.nanoTime() - full).toSeconds();
            assertThat(secondsSince).as("too slow to tell").isLessThan(burst - 5);
            assertThat(admitted).isLessThanOrEqualTo((int) secondsSince + 1);
        }
    }

    /** How many calls are admitted before the first that is not. */
    private static int admittedInARow(RawClient client, int atMost) throws Exception {
        int admitted = 0;
        while (admitted < atMost && client.inspect().admitted()) {
            admitted++;
        }
        return admitted;
    }

    /** Waits until two looks, with a saving between them, find the same buckets. */
    private void awaitSavedBuckets() {
        AtomicReference<List<String>> before = new AtomicReference<>(List.of());
        await("buckets are saved")
                .atMost(Duration.ofSeconds(20))
                .pollDelay(SAVED_WITHIN)
                .pollInterval(SAVED_WITHIN)
                .until(() -> {
                    List<String> now = sql("SELECT tool, full_at FROM bucket WHERE tool = 'inspect_table_schema'");
                    boolean found = String.join("\n", now).contains("inspect_table_schema");
                    return now.equals(before.getAndSet(now)) && found;
                });
    }

    private List<String> sql(String statement) throws InterruptedException {
        WeirProcess.Run run = WeirProcess.run(directory, Map.of(), "sql", statement);
        assertThat(run.exitCode()).as("%s", run).isZero();
        return run.stdout().stream().filter(line -> !line.startsWith("{")).toList();
    }

    private static Duration remaining(String text) {
        Matcher matcher = REMAINING.matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return Duration.ofMinutes(Long.parseLong(matcher.group(1))).plusSeconds(Long.parseLong(matcher.group(2)));
    }
}
