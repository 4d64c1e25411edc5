package dev.weir.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;

/** Reads, out of what OpenTelemetry counts of itself, the spans for which there was no room in its queue. */
final class DroppedSpans implements MetricReader {

    private static final String PROCESSED = "processedSpans";
    private static final AttributeKey<Boolean> DROPPED = AttributeKey.booleanKey("dropped");

    private volatile CollectionRegistration counts = CollectionRegistration.noop();

    /** How many there have been. */
    long count() {
        return counts.collectAllMetrics().stream()
                .filter(metric -> metric.getName().equals(PROCESSED))
                .flatMap(metric -> metric.getLongSumData().getPoints().stream())
                .filter(point -> Boolean.TRUE.equals(point.getAttributes().get(DROPPED)))
                .mapToLong(LongPointData::getValue)
                .sum();
    }

    @Override
    public void register(CollectionRegistration registration) {
        counts = registration;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
        return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}
