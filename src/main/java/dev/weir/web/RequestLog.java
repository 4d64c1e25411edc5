package dev.weir.web;

import dev.weir.mcp.JudgedRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The lines that a request makes, each once, whatever way it takes through the chain: {@code request_start} where it is let
 * on, and one {@code request_end} or {@code request_error}. A refused request makes the last line only, and of refusals that
 * are alike only the first has one: {@code request_repeated} counts the others. No header of a request but its User-Agent, no value of a query,
 * and no body unless that is asked for, is ever logged. Safe for use by many threads.
 */
public final class RequestLog {

    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final double NANOS_PER_MILLI = 1e6;

    private final LongSupplier nanoClock;
    private final LogDetail detail;
    private final RefusalSampler sampler;

    /** @param nanoClock a monotonic clock in nanoseconds */
    public RequestLog(LongSupplier nanoClock, LogDetail detail) {
        this.nanoClock = nanoClock;
        this.detail = detail;
        this.sampler = new RefusalSampler(nanoClock);
    }

    void started(Visit visit, HttpServletRequest request) {
        if (detail.bodies()) {
            // Now, because at its end the request belongs to the container.
            visit.credentials(RequestCredentials.of(request));
        }
        if (visit.start() && LOG.isInfoEnabled()) {
            RequestLine.arrival(LOG.atInfo(), visit).log("request_start");
        }
    }

    /** The end of a request that was let on. */
    void ended(Visit visit, HttpServletRequest request, HttpServletResponse response) {
        Object failure = request.getAttribute(JudgedRequest.FAILURE);
        if (request.getAttribute(JudgedRequest.REFUSED) instanceof String refusal) {
            visit.refused(refusal);
        }
        end(visit, response, response.getStatus(), failure == null ? null : failure.toString());
    }

    /** The end of a request that a filter has refused. */
    void refused(Visit visit, HttpServletRequest request, HttpServletResponse response, String refusal) {
        visit.refused(refusal);
        if (detail.bodies()) {
            visit.credentials(RequestCredentials.of(request));
        }
        end(visit, response, response.getStatus(), null);
    }

    /** The end of a request whose sender was gone before it could be told that it is refused. */
    void left(Visit visit, int status) {
        visit.refused("caller_left");
        end(visit, null, status, null);
    }

    /** The end of a request whose serving broke down, before its answer was begun or in the middle of it. */
    void failed(Visit visit, HttpServletRequest request, HttpServletResponse response, Throwable failure) {
        Object reason = request.getAttribute(JudgedRequest.FAILURE);
        int status = response.isCommitted() ? response.getStatus() : HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
        end(visit, response, status, reason == null ? failure.toString() : reason.toString());
    }

    /** Writes the counts of refusals that are due. To be called about once a second. */
    public void tellRepeated() {
        sampler.due().forEach(RequestLog::line);
    }

    /** Writes all counts that there are; what is refused from now on has a line of its own. */
    public void close() {
        sampler.close().forEach(RequestLog::line);
    }

    private static void line(RefusalSampler.Repeated repeated) {
        Refused kind = repeated.kind();
        RequestLine.kind(LOG.atLevel(RequestLine.level(kind.status(), false)), kind)
                .addKeyValue("count", repeated.count())
                .addKeyValue("seconds", repeated.seconds())
                .log("request_repeated");
    }

    private void end(Visit visit, @Nullable HttpServletResponse response, int status, @Nullable String failure) {
        if (!visit.end()) {
            return;
        }
        visit.observation().ended(status);
        Level level = RequestLine.level(status, failure != null);
        if (!LOG.isEnabledForLevel(level)
                || (visit.refusal() != null && !sampler.hasLine(RequestLine.kind(visit, status)))) {
            return;
        }
        LoggingEventBuilder line = RequestLine.arrival(LOG.atLevel(level), visit)
                .addKeyValue(
                        "duration_ms",
                        Math.round((nanoClock.getAsLong() - visit.arrivedNanos()) / NANOS_PER_MILLI * 100) / 100.0)
                .addKeyValue("status_code", status);
        line = RequestLine.outcome(line, visit);
        List<String> headers = detail.responseHeaders();
        if (response != null && !headers.isEmpty()) {
            line = RequestLine.headers(line, response, headers);
        }
        if (detail.bodies()) {
            line = RequestLine.bodies(line, visit);
        }
        if (failure != null) {
            RequestLine.text(line, "failure", failure).log("request_error");
        } else {
            line.log("request_end");
        }
    }
}
