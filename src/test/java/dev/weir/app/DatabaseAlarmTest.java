package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.alert.AlertClocks;
import dev.weir.alert.AlertFormat;
import dev.weir.alert.AlertRules;
import dev.weir.alert.AlertTarget;
import dev.weir.alert.Alerts;
import dev.weir.wire.HookReceiver;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a database that is away is an alarm, told to a real receiver. */
@Timeout(60)
class DatabaseAlarmTest {

    private String trouble = "";
    private final AtomicLong nanos = new AtomicLong();
    private final AlertLink.Threads threads = AlertLink.Threads.of(1);
    private HookReceiver receiver;
    private Alerts alerts;
    private DatabaseAlarm alarm;

    @BeforeEach
    void start() throws Exception {
        receiver = HookReceiver.good();
        AlertTarget target =
                new AlertTarget("ops", receiver.url("/"), AlertFormat.JSON, null, AlertTarget.Wishes.USUAL);
        alerts = Alerts.start(
                List.of(target),
                AlertRules.USUAL,
                "gw-1",
                () -> "id",
                threads.forAlerts(),
                new AlertClocks(Clock.systemUTC(), System::nanoTime));
        alarm = new DatabaseAlarm(() -> trouble.isEmpty() ? null : trouble, alerts, nanos::get);
    }

    @AfterEach
    void stop() {
        alerts.close();
        threads.close();
        receiver.close();
    }

    private void look(String now, int seconds) {
        trouble = now;
        for (int i = 0; i < seconds; i++) {
            alarm.look();
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
    }

    private void told(String... events) {
        await().until(() -> alerts.states().get(0).delivered() >= events.length);
        assertThat(receiver.received().stream().map(each -> each.header("X-Weir-Event")))
                .containsExactly(events);
        assertThat(alerts.states().get(0).heldBack()).isZero();
    }

    @Test
    void whatPassesWithinSecondsIsNobodysAlarm() {
        look("locked", 3);
        look("", 1);
        look("locked", 3);
        look("", 1);
        look("locked", 4);
        told("database_away");
    }

    @Test
    void itIsToldOnceThatItIsAwayAndOnceThatItIsBack() {
        look("locked", 100);
        look("no answer", 20);
        look("", 10);
        told("database_away", "database_back");
        assertThat(receiver.received().get(1).body()).contains("\"away_seconds\":120");
    }

    @Test
    void aStartMayTakeLongerAndIsToldOnlyIfItDoesNotEnd() {
        look(Opening.UNDER_WAY, 30);
        look("", 1);
        look(Opening.UNDER_WAY, 31);
        told("database_away");
    }

    @Test
    void aDatabaseThatHasNeverBeenThereIsToldToo() {
        look(Opening.UNDER_WAY, 2);
        look("there is no database", 2);
        told("database_away");
    }
}
