package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What the steady agents of a load have left of their buckets after a restart, beside what they may have. */
final class Budget {

    /** The tool {@code drip}: so many tokens, and then hardly any. */
    static final int BURST = 60;

    /** The tool {@code inspect}: far longer than a restart takes. */
    static final int COOLDOWN_SECONDS = 180;

    private static final long NANOS_A_TOKEN = Duration.ofSeconds(100).toNanos();

    private final Arrivals arrivals;
    private final KillLoad load;
    private final long ended;
    private final AgentCaller caller;

    /** @param ended when the Weir ended that bore the load, by {@link System#nanoTime} */
    Budget(Arrivals arrivals, KillLoad load, long ended, AgentCaller caller) {
        this.arrivals = arrivals;
        this.load = load;
        this.ended = ended;
        this.caller = caller;
    }

    /** How long before the end the oldest take was that an agent got back; found by emptying the buckets. Zero if none was. */
    Duration oldestGivenBack() throws IOException, InterruptedException {
        Duration oldest = Duration.ZERO;
        for (String agent : load.steady()) {
            List<Long> before = arrivals.of(agent, "drip");
            int after = 0;
            while (caller.call(agent, "drip").admitted()) {
                after++;
            }
            long refilled = before.isEmpty() ? 0 : (System.nanoTime() - before.get(0)) / NANOS_A_TOKEN;
            int givenBack = (int) (before.size() + after - BURST - refilled);
            assertThat(givenBack)
                    .as("%s: %d before, %d after", agent, before.size(), after)
                    .isLessThanOrEqualTo(before.size());
            if (givenBack > 0) {
                Duration age = Duration.ofNanos(ended - before.get(before.size() - givenBack));
                oldest = age.compareTo(oldest) > 0 ? age : oldest;
            }
        }
        return oldest;
    }

    /** Fails unless a cool-down goes on to its old end; one that was younger than {@code unsaved} may be lost. */
    void coolDownsGoOn(Duration unsaved) throws IOException, InterruptedException {
        for (String agent : load.steady()) {
            long began = load.cooledAt(agent);
            if (ended - began < unsaved.toNanos()) {
                continue;
            }
            AgentCaller.Answer answer = caller.call(agent, "inspect");
            Duration left = Duration.ofSeconds(COOLDOWN_SECONDS).minusNanos(System.nanoTime() - began);
            assertThat(answer.code()).as("%s", answer).isEqualTo(AgentCaller.THROTTLED);
            assertThat(Long.parseLong(answer.told("retryAfterMs")))
                    .as("%s", answer)
                    .isBetween(left.toMillis() - 2_000, left.toMillis() + 2_000);
        }
    }
}
