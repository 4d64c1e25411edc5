package dev.weir.app;

import dev.weir.settings.SettingsException;
import dev.weir.telemetry.SpanSending;
import dev.weir.telemetry.Tracing;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The link to the collector of traces that the settings name, if they name one. Safe for use by many threads. */
final class TraceLink implements AutoCloseable {

    private final @Nullable Tracing tracing;

    private TraceLink(@Nullable Tracing tracing) {
        this.tracing = tracing;
    }

    /**
     * Makes ready to trace, without waiting for the collector.
     *
     * @param clock the wall clock
     * @throws SettingsException if a setting is unusable
     */
    static TraceLink start(Map<String, String> settings, InstantSource clock) {
        try {
            return new TraceLink(
                    Tracing.start(settings, () -> new SpanSending(Background.threads("weir-traces", 1)), clock));
        } catch (IllegalArgumentException e) {
            throw new SettingsException(String.valueOf(e.getMessage()));
        }
    }

    /** Makes the spans; null if there are to be none. */
    @Nullable
    Tracing tracing() {
        return tracing;
    }

    @Override
    public void close() {
        if (tracing != null) {
            tracing.close();
        }
    }
}
