package dev.weir.app;

import dev.weir.upstream.Targets;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;

/** Which targets are up, as numbers that come and go with the routes. Safe for use by many threads. */
final class TargetMeters {

    private final Targets targets;
    private final MultiGauge up;

    TargetMeters(Targets targets, MeterRegistry registry) {
        this.targets = targets;
        this.up = MultiGauge.builder("weir.upstream.up")
                .description("1 while calls may go to the target, 0 while it is taken for dead.")
                .register(registry);
    }

    /** Looks how they are. */
    void refresh() {
        up.register(targets.states().stream().map(TargetMeters::row).toList(), true);
    }

    private static MultiGauge.Row<Number> row(Targets.State state) {
        Tags tags = Tags.of("route", state.route(), "target", state.target().toString());
        return MultiGauge.Row.of(tags, state.up() ? 1 : 0);
    }
}
