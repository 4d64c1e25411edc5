package dev.weir.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The way of spans to their collector: OpenTelemetry's own queue and exporter, on threads that end when Weir does. Nothing of it is
 * global, because other applications of the same container may have an OpenTelemetry as well. Safe for use by many threads.
 */
public final class SpanSending {

    private static final String SERVICE = "weir";
    private static final String NO_NAME = "unknown_service";
    private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");

    private final ExecutorService threads;
    private final DroppedSpans dropped = new DroppedSpans();

    /** Tells the container's log about every failure; {@link SpanExport} does it once. Held, or it would be forgotten. */
    private final Logger talkative = Logger.getLogger("io.opentelemetry");

    private volatile @Nullable SpanExport export;

    /** @param threads where spans are sent, and nothing else is done; ended with the sending */
    public SpanSending(ExecutorService threads) {
        this.threads = threads;
    }

    /**
     * Makes ready for spans.
     *
     * @throws IllegalArgumentException if a setting is unusable
     */
    OpenTelemetrySdk begin(TraceSettings settings) {
        talkative.setLevel(Level.OFF);
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        // The JDK's client has a thread of its own which ends some time after the client: it must not hold the
        // application.
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            return sdk(settings.properties());
        } catch (RuntimeException e) {
            stop();
            unmute();
            throw new IllegalArgumentException(settings.problem(e), e);
        } finally {
            thread.setContextClassLoader(loader);
        }
    }

    private OpenTelemetrySdk sdk(Map<String, String> properties) {
        return AutoConfiguredOpenTelemetrySdk.builder()
                .setServiceClassLoader(SpanSending.class.getClassLoader())
                .disableShutdownHook()
                // Not as defaults, because the settings have been weighed against the environment already.
                .addPropertiesCustomizer(before -> properties)
                .addResourceCustomizer((resource, config) -> named(resource))
                .addSpanExporterCustomizer((exporter, config) -> counted(exporter))
                .addMeterProviderCustomizer((meters, config) -> meters.registerMetricReader(dropped))
                .build()
                .getOpenTelemetrySdk();
    }

    private static Resource named(Resource resource) {
        String name = resource.getAttribute(SERVICE_NAME);
        return name == null || name.startsWith(NO_NAME)
                ? resource.toBuilder().put(SERVICE_NAME, SERVICE).build()
                : resource;
    }

    private SpanExporter counted(SpanExporter exporter) {
        SpanExporter sender = exporter;
        if (exporter instanceof OtlpHttpSpanExporter http) {
            sender = http.toBuilder().setExecutorService(threads).build();
            http.shutdown();
        }
        SpanExport counted = new SpanExport(sender);
        export = counted;
        return counted;
    }

    long exported() {
        SpanExport counted = export;
        return counted == null ? 0 : counted.exported();
    }

    long failed() {
        SpanExport counted = export;
        return counted == null ? 0 : counted.failed();
    }

    long dropped() {
        return dropped.count();
    }

    /** Gives up what is on its way. */
    void stop() {
        threads.shutdownNow();
    }

    void unmute() {
        talkative.setLevel(null);
    }
}
