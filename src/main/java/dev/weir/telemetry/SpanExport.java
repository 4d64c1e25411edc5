package dev.weir.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to the collector, counts them, and says in one line that it fails and in one more that it works again. Safe for use by
 * many threads.
 */
final class SpanExport implements SpanExporter {

    private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);
    private static final int LONGEST_REASON = 200;

    private final SpanExporter exporter;
    private final AtomicLong exported = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicBoolean failing = new AtomicBoolean();

    SpanExport(SpanExporter exporter) {
        this.exporter = exporter;
    }

    /** How many spans the collector has taken. */
    long exported() {
        return exported.get();
    }

    /** How many it has not taken, in all attempts. */
    long failed() {
        return failed.get();
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int count = spans.size();
        CompletableResultCode result = exporter.export(spans);
        return result.whenComplete(() -> {
            if (result.isSuccess()) {
                exported.addAndGet(count);
                if (failing.compareAndSet(true, false)) {
                    LOG.atInfo().addKeyValue("spans_lost", failed.get()).log("traces_exported_again");
                }
            } else {
                failed.addAndGet(count);
                if (failing.compareAndSet(false, true)) {
                    LOG.atWarn()
                            .addKeyValue("reason", reason(result.getFailureThrowable()))
                            .log("traces_not_exported");
                }
            }
        });
    }

    private static String reason(@Nullable Throwable failure) {
        if (failure == null) {
            return "the collector did not take them";
        }
        // What the exporter says of itself is less than what it says that it met.
        String text = String.valueOf(failure.getCause() == null ? failure : failure.getCause());
        return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
