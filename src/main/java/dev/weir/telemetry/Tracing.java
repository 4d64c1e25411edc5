package dev.weir.telemetry;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes the spans of requests, and sends them to the collector that the settings name, beside the requests. A collector that does
 * not answer costs spans, never time. Safe for use by many threads.
 */
public final class Tracing implements AutoCloseable {

    private static final String SCOPE = "dev.weir";
    private static final long PATIENCE_MILLIS = 2_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final OpenTelemetrySdk sdk;
    private final SpanSending sending;
    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final InstantSource clock;

    Tracing(OpenTelemetrySdk sdk, SpanSending sending, InstantSource clock) {
        this.sdk = sdk;
        this.sending = sending;
        this.tracer = sdk.getTracer(SCOPE);
        this.propagator = sdk.getPropagators().getTextMapPropagator();
        this.clock = clock;
    }

    /** Adds what became of the spans to the numbers. */
    void countIn(MeterRegistry registry) {
        count(registry, "exported", all -> all.exported());
        count(registry, "failed", all -> all.failed());
        count(registry, "dropped", all -> all.dropped());
    }

    private void count(MeterRegistry registry, String outcome, ToDoubleFunction<SpanSending> count) {
        FunctionCounter.builder("weir.trace.spans", sending, count)
                .tags("outcome", outcome)
                .description("Spans that the collector has taken, has not taken, or that waited too long for it.")
                .register(registry);
    }

    Tracer tracer() {
        return tracer;
    }

    /** The wall clock, in nanoseconds since 1970. */
    long epochNanos() {
        Instant now = clock.instant();
        return now.getEpochSecond() * NANOS_PER_SECOND + now.getNano();
    }

    /**
     * The span of somebody else that fields name; an invalid one if they name none, or not as they should.
     *
     * @param fields by their names in lower case
     * @see <a href="https://www.w3.org/TR/trace-context/#traceparent-header">W3C Trace Context, 3.2 and 3.3</a>
     */
    SpanContext named(Map<String, String> fields) {
        if (fields.isEmpty()) {
            return SpanContext.getInvalid();
        }
        return Span.fromContext(propagator.extract(Context.root(), fields, MapGetter.INSTANCE))
                .getSpanContext();
    }

    /** The fields that name a span to whoever is called next; none if nobody is to be told. */
    Map<String, String> naming(Span span) {
        Map<String, String> fields = new HashMap<>();
        propagator.inject(Context.root().with(span), fields, (map, name, value) -> {
            if (map != null) {
                map.put(name, value);
            }
        });
        return fields;
    }

    /** Ends, with a short patience for spans that are still to be sent. */
    @Override
    public void close() {
        var flushed = sdk.shutdown().join(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        sending.stop();
        flushed.join(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        sending.unmute();
    }

    /**
     * Begins.
     *
     * @param settings what OpenTelemetry is told, under its own names with hyphens for dots
     * @param sending  how spans are sent; asked for only if there are to be some
     * @param clock    the wall clock
     * @return null if nothing is to be traced
     * @throws IllegalArgumentException with one line that names the setting that is unusable, and why
     */
    public static @Nullable Tracing start(
            Map<String, String> settings, Supplier<SpanSending> sending, InstantSource clock) {
        TraceSettings checked = new TraceSettings(settings);
        if (!checked.areOn()) {
            return null;
        }
        checked.check();
        SpanSending begun = sending.get();
        return new Tracing(begun.begin(checked), begun, clock);
    }
}
