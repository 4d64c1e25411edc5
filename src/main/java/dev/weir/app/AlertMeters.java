package dev.weir.app;

import dev.weir.alert.AlertState;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToLongFunction;

/** The numbers of alerts, target by target. */
final class AlertMeters {

    private final Metrics metrics;
    private final AlertLink alerts;

    private AlertMeters(Metrics metrics, AlertLink alerts) {
        this.metrics = metrics;
        this.alerts = alerts;
    }

    /** Adds them to the others. */
    static void add(AlertLink alerts, Metrics metrics) {
        AlertMeters meters = new AlertMeters(metrics, alerts);
        List<AlertState> states = alerts.states();
        for (int place = 0; place < states.size(); place++) {
            meters.target(states.get(place).target(), place);
        }
    }

    private void target(String name, int place) {
        outcome(name, place, "delivered", AlertState::delivered);
        outcome(name, place, "failed", AlertState::failed);
        outcome(name, place, "dropped", AlertState::dropped);
        outcome(name, place, "held_back", AlertState::heldBack);
        metrics.gauge(
                "weir.alert.queue.length",
                Tags.of("target", name),
                "Alerts that wait to be delivered.",
                alerts,
                link -> link.state(place).waiting());
    }

    private void outcome(String name, int place, String outcome, ToLongFunction<AlertState> count) {
        metrics.counter(
                "weir.alerts",
                Tags.of("target", name, "outcome", outcome),
                "What has become of alerts; held back are those that another one tells of, as a number.",
                alerts,
                link -> count.applyAsLong(link.state(place)));
    }
}
