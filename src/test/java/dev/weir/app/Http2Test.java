package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that speaks HTTP/2 in front of Weir: a request names its host by {@code :authority} and has no Host field, and a
 * caller can leave one call and keep the connection.
 */
@Timeout(60)
class Http2Test {

    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
    private static final String NEVER_BANNED = "INSERT INTO setting (name, content) VALUES ('ban.threshold', '1000')";
    private static final String CHANNEL_IS_WIDE =
            "INSERT INTO setting (name, content) VALUES ('channel.burst', '1000')";

    @TempDir
    Path directory;

    private volatile StubUpstream.Behaviour behaviour = (request, line) -> line.json(200, RESULT);
    private @Nullable StubUpstream upstream;
    private @Nullable Http2Weir weir;

    private Http2Weir start(String heavy) throws Exception {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
        weir = Http2Weir.start(
                directory,
                upstream.base(),
                "UPDATE tool_tier SET cooldown_seconds = 0, burst = 1, " + heavy + " WHERE name = 'heavy'",
                NEVER_BANNED,
                CHANNEL_IS_WIDE);
        return weir;
    }

    @AfterEach
    void stop() throws Exception {
        if (weir != null) {
            weir.stop();
        }
        if (upstream != null) {
            upstream.close();
        }
    }

    private StubUpstream upstream() {
        return Objects.requireNonNull(upstream);
    }

    /** The one of two calls that waits, where only one may. */
    private static Http2Weir.Call waiting(Http2Weir weir) throws Exception {
        Http2Weir.Call one = weir.send();
        Http2Weir.Call other = weir.send();
        await().until(() -> one.isAnswered() || other.isAnswered());
        Http2Weir.Call refused = one.isAnswered() ? one : other;
        assertThat(refused.answer()).contains("-32029");
        return refused == one ? other : one;
    }

    /** Whether one more call is not refused: it is served, or it waits. */
    private static boolean findsAPlace(Http2Weir weir) throws Exception {
        Http2Weir.Call call = weir.send();
        // What waits stands in the way of the next, so that the answer to this one tells of the one before.
        Http2Weir.Call probe = weir.send();
        await().until(() -> call.isAnswered() || probe.isAnswered());
        return !call.isAnswered() || !probe.isAnswered();
    }

    @Test
    void aCallIsServedAndLimitedAsEver() throws Exception {
        Http2Weir weir = start("rate_per_second = 0.1");
        assertThat(weir.send().answer()).isEqualTo(RESULT);
        assertThat(upstream().received()).hasSize(1);
        assertThat(weir.send().answer()).contains("-32029");
        assertThat(upstream().received()).as("the second was refused").hasSize(1);
    }

    /** A token comes every fifty seconds and a minute may be waited: there is one place, and nothing runs while this runs. */
    @Test
    void whoLeavesWhileItWaitsGivesItsPlaceToTheNext() throws Exception {
        Http2Weir weir = start("rate_per_second = 0.02, max_wait_ms = 60000");
        assertThat(weir.send().answer()).isEqualTo(RESULT);
        Http2Weir.Call waiting = waiting(weir);
        assertThat(weir.send().answer()).as("its place is taken").contains("-32029");
        waiting.leave();
        await().until(() -> findsAPlace(weir));
        assertThat(weir.send().answer()).as("and there was but one").contains("-32029");
        assertThat(upstream().received()).hasSize(1);
    }

    /** Two would find a place within a minute, but only one may be in flight. */
    @Test
    void whoLeavesWhileItWaitsGivesItsSlotBack() throws Exception {
        Http2Weir weir = start("rate_per_second = 0.04, max_wait_ms = 60000, max_concurrent = 1");
        assertThat(weir.send().answer()).isEqualTo(RESULT);
        Http2Weir.Call waiting = waiting(weir);
        assertThat(weir.send().answer()).as("it has the slot").contains("\"level\":\"concurrency\"");
        waiting.leave();
        await().until(() -> findsAPlace(weir));
    }

    @Test
    void whoLeavesWhileItWaitsNeverRunsAndItsTokenIsThereForTheNext() throws Exception {
        Http2Weir weir = start("rate_per_second = 0.25, max_wait_ms = 5000");
        assertThat(weir.send().answer()).isEqualTo(RESULT);
        Http2Weir.Call waiting = waiting(weir);
        waiting.leave();
        await().during(Duration.ofSeconds(5))
                .atMost(Duration.ofSeconds(8))
                .until(() -> upstream().received().size() == 1);
        long asked = System.nanoTime();
        assertThat(weir.send().answer()).isEqualTo(RESULT);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(2));
        assertThat(upstream().received()).hasSize(2);
    }

    @Test
    void whoLeavesWhileItsCallRunsGivesItsSlotBackAndTheUpstreamIsLeft() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        behaviour = (request, line) -> {
            if (line.isLeft()) {
                left.countDown();
            }
        };
        Http2Weir weir = start("rate_per_second = 1000, max_concurrent = 1");
        Http2Weir.Call running = weir.send();
        await().until(() -> upstream().received().size() == 1);
        assertThat(weir.send().answer()).as("it has the slot").contains("\"level\":\"concurrency\"");
        behaviour = (request, line) -> line.json(200, RESULT);
        running.leave();
        await().until(() -> weir.send().answer().equals(RESULT));
        await().until(() -> left.getCount() == 0);
    }

    @Test
    void whoLeavesInTheMiddleOfAStreamGivesItsSlotBackAndTheUpstreamIsLeft() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        behaviour = (request, line) -> {
            line.head("text/event-stream");
            line.chunk("data: {}\n\n");
            if (line.isLeft()) {
                left.countDown();
            }
        };
        Http2Weir weir = start("rate_per_second = 1000, max_concurrent = 1");
        Http2Weir.Call streaming = weir.send();
        await().until(streaming::hasBegun);
        assertThat(weir.send().answer()).as("it has the slot").contains("\"level\":\"concurrency\"");
        behaviour = (request, line) -> line.json(200, RESULT);
        streaming.leave();
        await().until(() -> weir.send().answer().equals(RESULT));
        await().until(() -> left.getCount() == 0);
    }
}
