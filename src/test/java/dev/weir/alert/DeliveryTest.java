package dev.weir.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.BareServer;
import dev.weir.wire.HookReceiver;
import dev.weir.wire.HookReceiver.Received;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Alerts on their way to real receivers that do as they should, and otherwise. */
@Timeout(60)
class DeliveryTest {

    private static final int QUEUE = 8;
    private static final Duration LONG = Duration.ofMinutes(10);

    /** As usual, but with short pauses, and much patience with a busy machine. */
    private static final AlertRules RULES = new AlertRules(
            new AlertRules.Once(Duration.ofMinutes(5), 1_000),
            new AlertRules.Again(4, Duration.ofMillis(20), Duration.ofMillis(1_200), LONG),
            new AlertRules.Delivery(Duration.ofSeconds(20), Duration.ofSeconds(20)),
            QUEUE);

    private static final AlertRules IMPATIENT = new AlertRules(
            RULES.once(),
            new AlertRules.Again(3, Duration.ofMillis(20), Duration.ofMillis(20), LONG),
            new AlertRules.Delivery(Duration.ofSeconds(20), Duration.ofSeconds(1)),
            QUEUE);

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
    private final ExecutorService web = Executors.newFixedThreadPool(4);
    private final AlertThreads threads = new AlertThreads(timer, web);
    private final AlertClocks clocks = new AlertClocks(Clock.systemUTC(), System::nanoTime);
    private Alerts alerts = Alerts.NONE;

    @AfterEach
    void stop() throws Exception {
        alerts.close();
        timer.shutdownNow();
        web.shutdownNow();
        assertThat(timer.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }

    private void start(AlertRules rules, AlertTarget... targets) {
        alerts = Alerts.start(
                List.of(targets), rules, "gw-1", () -> UUID.randomUUID().toString(), threads, clocks);
    }

    private AlertState state() {
        return alerts.states().get(0);
    }

    private static HookReceiver receiver(IntFunction<HookReceiver.Reply> replies) throws IOException {
        return new HookReceiver(replies);
    }

    private static AlertTarget json(HookReceiver receiver) {
        return Samples.target(receiver.url("/hook"), AlertFormat.JSON, Samples.SECRET);
    }

    @Test
    void allArriveInTheirOrderOverOneConnectionAtATime() throws Exception {
        try (HookReceiver good = HookReceiver.good()) {
            start(RULES, json(good));
            for (int i = 0; i < QUEUE; i++) {
                alerts.raise(Samples.banned("c" + i));
            }
            await().until(() -> state().delivered() == QUEUE);
            assertThat(good.received().stream()
                            .map(each -> each.body().replaceAll(".*\"principal\":\"([^\"]*)\".*", "$1"))
                            .collect(Collectors.toList()))
                    .isEqualTo(IntStream.range(0, QUEUE).mapToObj(i -> "c" + i).toList());
            assertThat(state()).isEqualTo(new AlertState("ops", 0, QUEUE, 0, 0, 0, null));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 500, 502, 503, 504})
    void whatMayPassIsTriedAgainUnderTheSameName(int status) throws Exception {
        try (HookReceiver receiver =
                receiver(number -> number < 3 ? HookReceiver.status(status, "no") : HookReceiver.status(200, "ok"))) {
            start(RULES, json(receiver));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().delivered() == 1);
            assertThat(receiver.received()).hasSize(3);
            assertThat(receiver.received().stream().map(Received::body).distinct())
                    .hasSize(1);
            assertThat(receiver.received().stream()
                            .map(each -> each.header("X-Weir-Delivery"))
                            .distinct())
                    .hasSize(1);
            assertThat(state().trouble()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308, 400, 401, 403, 404, 410, 413})
    void whatDoesNotPassIsGivenUpAtOnceAndHoldsUpNoOther(int status) throws Exception {
        try (HookReceiver elsewhere = HookReceiver.good();
                HookReceiver receiver = receiver(number -> number == 1
                        ? HookReceiver.status(status, "no", "Location", elsewhere.url("/"))
                        : HookReceiver.status(204, ""))) {
            start(RULES, json(receiver));
            alerts.raise(Samples.banned("c1"));
            alerts.raise(Samples.banned("c2"));
            await().until(() -> state().delivered() == 1);
            assertThat(state().failed()).isEqualTo(1);
            assertThat(receiver.received()).hasSize(2);
            assertThat(elsewhere.received()).isEmpty();
        }
    }

    @Test
    void aReceiverThatGoesOnFailingIsLeftAloneAfterSomeAttempts() throws Exception {
        try (HookReceiver receiver = receiver(number -> HookReceiver.status(500, "no"))) {
            start(RULES, json(receiver));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().failed() == 1);
            assertThat(receiver.received()).hasSize(RULES.again().attempts());
            assertThat(state().trouble()).isEqualTo("answered 500");
        }
    }

    @Test
    void whatIsTooOldIsNotTriedAgain() throws Exception {
        AlertRules rules = new AlertRules(
                RULES.once(),
                new AlertRules.Again(1_000, Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(200)),
                RULES.delivery(),
                QUEUE);
        try (HookReceiver receiver = receiver(number -> HookReceiver.status(500, "no"))) {
            start(rules, json(receiver));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().failed() == 1);
            assertThat(receiver.received()).hasSizeBetween(1, 8);
        }
    }

    @Test
    void aReceiverThatAsksForTimeGetsItUpToABound() throws Exception {
        long[] times = new long[3];
        try (HookReceiver receiver = receiver(number -> {
            times[number - 1] = System.nanoTime();
            return switch (number) {
                case 1 -> HookReceiver.status(429, "no", "Retry-After", "1");
                case 2 -> HookReceiver.status(503, "no", "Retry-After", "3600");
                default -> HookReceiver.status(200, "ok");
            };
        })) {
            start(RULES, json(receiver));
            alerts.raise(Samples.banned("c1"));
            await().atMost(Duration.ofSeconds(30)).until(() -> state().delivered() == 1);
            assertThat(times[1] - times[0])
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
            assertThat(times[2] - times[1])
                    .isGreaterThanOrEqualTo(RULES.again().longestPause().toNanos())
                    .isLessThan(Duration.ofSeconds(25).toNanos());
        }
    }

    @Test
    void aReceiverThatHangsOrHangsUpIsTriedAgainAndHoldsUpNoOtherTarget() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver hanging =
                        receiver(number -> number == 1 ? self[0].silence() : HookReceiver.status(200, "ok"));
                HookReceiver good = HookReceiver.good();
                BareServer closing = new BareServer(DeliveryTest::closeAtOnce)) {
            self[0] = hanging;
            AlertTarget closed = new AlertTarget(
                    "closed", closing.url().toString(), AlertFormat.JSON, null, AlertTarget.Wishes.USUAL);
            start(RULES, json(hanging), json(good), closed);
            alerts.raise(Samples.banned("c1"));
            await().until(() -> alerts.states().get(1).delivered() == 1);
            await().until(() -> alerts.states().get(2).failed() == 1);
            assertThat(alerts.states().get(2).trouble()).isEqualTo("the connection broke");
            assertThat(state()).isEqualTo(new AlertState("ops", 1, 0, 0, 0, 0, null));
        }
    }

    private static void closeAtOnce(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aReceiverThatDoesNotAnswerInTimeIsTriedAgain() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver hanging =
                receiver(number -> number == 1 ? self[0].silence() : HookReceiver.status(200, "ok"))) {
            self[0] = hanging;
            start(IMPATIENT, json(hanging));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().delivered() == 1);
        }
    }

    @Test
    void aBodyThatNeverEndsIsNotWaitedForWhereTheStatusSaysItAll() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver endless = receiver(number -> self[0].endless(200))) {
            self[0] = endless;
            start(IMPATIENT, json(endless));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().delivered() == 1);
        }
    }

    @Test
    void aBodyThatNeverEndsIsNoAnswerWhereItSaysWhatCameOfIt() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver endless = receiver(number -> self[0].endless(200))) {
            self[0] = endless;
            start(IMPATIENT, Samples.target(endless.url("/hook"), AlertFormat.FEISHU, null));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().failed() == 1);
            assertThat(state().trouble()).isEqualTo("no answer within 1000 ms");
        }
    }

    @Test
    void ofAnAnswerOfManyBytesOnlyTheBeginningIsRead() throws Exception {
        try (HookReceiver flood = receiver(number -> HookReceiver.flood(200))) {
            start(RULES, json(flood), Samples.target(flood.url("/hook"), AlertFormat.WECOM, null));
            alerts.raise(Samples.banned("c1"));
            await().until(() -> state().delivered() == 1);
            await().until(() -> alerts.states().get(1).failed() == 1);
            assertThat(alerts.states().get(1).trouble()).isEqualTo("answered 200, but not in the words of this format");
        }
    }

    @Test
    void nobodyWhoListensAndNoSuchHostAreTold() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        start(
                RULES,
                Samples.target("http://127.0.0.1:" + free + "/hook", AlertFormat.JSON, null),
                Samples.target("http://no-such-host.invalid/hook", AlertFormat.JSON, null));
        alerts.raise(Samples.banned("c1"));
        await().until(() -> alerts.states().stream().allMatch(each -> each.failed() == 1));
        assertThat(alerts.states())
                .extracting(AlertState::trouble)
                .containsExactly("there is nobody who listens", "there is no host of this name");
    }

    @Test
    void theQueueIsBoundedAndWhatIsTooMuchIsCounted() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver hanging = receiver(number -> self[0].silence())) {
            self[0] = hanging;
            start(RULES, json(hanging));
            long begun = System.nanoTime();
            for (int i = 0; i < 500; i++) {
                alerts.raise(Samples.banned("c" + i));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
            assertThat(state()).isEqualTo(new AlertState("ops", QUEUE, 0, 0, 500 - QUEUE, 0, null));
        }
    }

    @Test
    void aStopTellsWhatWasHeldBackAndWaitsForWhatIsUnderWay() throws Exception {
        try (HookReceiver good = HookReceiver.good()) {
            start(RULES, json(good));
            alerts.raise(Samples.banned("c1"));
            alerts.raise(Samples.banned("c1"));
            alerts.close();
            assertThat(state()).isEqualTo(new AlertState("ops", 0, 2, 0, 0, 1, null));
            assertThat(good.received().get(1).body()).contains("\"repeated\":1");
            alerts.raise(Samples.banned("c2"));
            assertThat(state().dropped()).isEqualTo(1);
        }
    }

    @Test
    void aStopWaitsOnlyAMomentForAReceiverThatHangs() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver hanging = receiver(number -> self[0].silence())) {
            self[0] = hanging;
            start(RULES, json(hanging));
            alerts.raise(Samples.banned("c1"));
            alerts.raise(Samples.banned("c2"));
            alerts.close();
            assertThat(state().dropped()).isEqualTo(2);
        }
    }

    @Test
    void aTestGoesToATargetThatWantsNothing() throws Exception {
        try (HookReceiver good = HookReceiver.good()) {
            AlertTarget target = new AlertTarget(
                    "ops",
                    good.url("/hook"),
                    AlertFormat.JSON,
                    null,
                    new AlertTarget.Wishes(java.util.Set.of(), java.util.Set.of("/nowhere")));
            assertThat(Alerts.test(target, "gw-1", "t1", threads, clocks).get(20, TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(good.received().get(0).body()).contains("\"event\":\"test\"", "\"id\":\"t1\"");
        }
    }
}
