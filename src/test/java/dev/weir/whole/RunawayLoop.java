package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A row of calls of one heavy tool (burst 5, two tokens a second, 30 s of cool-down) by one client, and what came of each. */
final class RunawayLoop {

    static final int THROTTLED = -32029;
    static final int BANNED = -32030;

    private RunawayLoop() {}

    /** A call's JSON-RPC error, or code 0 where it was admitted. */
    record Call(int code, String message) {}

    /**
     * Fails unless the calls were, in this order: admitted while there were tokens, throttled, banned for the last two.
     *
     * <p>On a fast machine that is five, five and two. In the time {@code took} a slow one gets tokens back, and
     * each of them is one more call that is admitted, or that is refused for the cool-down alone and so is no strike.
     */
    static void assertThrottledThenBanned(List<Call> calls, Duration took) {
        int returned = (int) (2 * took.toMillis() / 1000);
        List<Call> admitted = calls.stream().filter(call -> call.code() == 0).toList();
        List<Call> throttled =
                calls.stream().filter(call -> call.code() == THROTTLED).toList();
        List<Call> banned = calls.stream().filter(call -> call.code() == BANNED).toList();

        assertThat(calls).containsExactlyElementsOf(concat(admitted, throttled, banned));
        assertThat(admitted.size()).as("admitted of %s", calls).isBetween(5, 5 + returned);
        assertThat(throttled.size()).as("throttled of %s", calls).isBetween(5, 5 + returned);
        assertThat(throttled.get(0).message()).contains("Cooling down for 30s");
        assertThat(throttled)
                .allSatisfy(call -> assertThat(call.message()).containsPattern("Cooling down for \\d+(\\.\\d)?s"));
        assertThat(banned).hasSize(2);
        assertThat(banned).allSatisfy(call -> assertThat(call.message()).contains("banned from tool calls"));
    }

    private static List<Call> concat(List<Call> first, List<Call> second, List<Call> third) {
        return Stream.of(first, second, third).flatMap(List::stream).toList();
    }
}
