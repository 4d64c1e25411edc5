package dev.weir.web;

import dev.weir.auth.Identity;
import dev.weir.gate.Verdict;
import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.McpMessage;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The lines that a request makes, each once, whatever way it takes through the chain: {@code request_start} where it is let
 * on, and one {@code request_end} or {@code request_error}. A refused request makes the last line only. No header, body or
 * query is ever logged.
 */
public final class RequestLog {

    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final int MAX_TEXT = 256;
    private static final double NANOS_PER_MILLI = 1e6;

    private final LongSupplier nanoClock;

    public RequestLog(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    void started(Visit visit) {
        if (visit.start() && LOG.isInfoEnabled()) {
            arrival(LOG.atInfo(), visit).log("request_start");
        }
    }

    /** The end of a request that was let on. */
    void ended(Visit visit, ServletRequest request, int status) {
        Object failure = request.getAttribute(JudgedRequest.FAILURE);
        end(visit, status, failure == null ? null : failure.toString());
    }

    /** The end of a request that a filter has refused. */
    void refused(Visit visit, int status) {
        end(visit, status, null);
    }

    /** The end of a request whose serving broke down, before its answer was begun or in the middle of it. */
    void failed(Visit visit, ServletRequest request, HttpServletResponse response, Throwable failure) {
        Object reason = request.getAttribute(JudgedRequest.FAILURE);
        int status = response.isCommitted() ? response.getStatus() : HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
        end(visit, status, reason == null ? failure.toString() : reason.toString());
    }

    private void end(Visit visit, int status, @Nullable String failure) {
        if (!visit.end()) {
            return;
        }
        visit.observation().ended(status);
        Level level = level(status, failure);
        if (!LOG.isEnabledForLevel(level)) {
            return;
        }
        LoggingEventBuilder line = arrival(LOG.atLevel(level), visit)
                .addKeyValue(
                        "duration_ms",
                        Math.round((nanoClock.getAsLong() - visit.arrivedNanos()) / NANOS_PER_MILLI * 100) / 100.0)
                .addKeyValue("status_code", status);
        Identity identity = visit.identity();
        if (identity != null) {
            line = line.addKeyValue("principal", identity.caller().principal().key());
            line = text(line, "client", identity.caller().client());
        }
        McpMessage message = visit.message();
        if (message != null) {
            line = text(text(line, "mcp_method", message.method()), "tool", message.tool());
        }
        line = verdict(line, visit.verdict());
        if (failure != null) {
            text(line, "failure", failure).log("request_error");
        } else {
            line.log("request_end");
        }
    }

    private static Level level(int status, @Nullable String failure) {
        if (status >= 400 && status < 500) {
            return Level.WARN;
        }
        return status >= 500 || failure != null ? Level.ERROR : Level.INFO;
    }

    private static LoggingEventBuilder arrival(LoggingEventBuilder line, Visit visit) {
        LoggingEventBuilder arrival = line.addKeyValue("request_id", visit.requestId())
                .addKeyValue("method", cut(visit.httpMethod()))
                .addKeyValue("path", cut(visit.path()))
                .addKeyValue("client_ip", visit.address());
        return text(text(arrival, "trace_id", visit.observation().traceId()), "user_agent", visit.userAgent());
    }

    private static LoggingEventBuilder verdict(LoggingEventBuilder line, @Nullable Verdict verdict) {
        if (verdict instanceof Verdict.Admit admit) {
            LoggingEventBuilder admitted = text(line.addKeyValue("decision", "admit"), "route", admit.route());
            return text(admitted, "would_throttle", admit.wouldThrottle());
        }
        if (verdict instanceof Verdict.Throttle throttle) {
            return line.addKeyValue("decision", "throttle")
                    .addKeyValue("route", throttle.route())
                    .addKeyValue("level", throttle.level())
                    .addKeyValue("strikes", throttle.strikes());
        }
        if (verdict instanceof Verdict.Shut shut) {
            return line.addKeyValue("decision", "shut")
                    .addKeyValue("route", shut.route())
                    .addKeyValue("ban_id", shut.banId());
        }
        if (verdict instanceof Verdict.Forbid forbid) {
            return line.addKeyValue("decision", "forbid").addKeyValue("route", forbid.route());
        }
        if (verdict instanceof Verdict.Oversized oversized) {
            return line.addKeyValue("decision", "oversized").addKeyValue("route", oversized.route());
        }
        return line;
    }

    private static LoggingEventBuilder text(LoggingEventBuilder line, String name, @Nullable String value) {
        return value == null ? line : line.addKeyValue(name, cut(value));
    }

    private static String cut(String value) {
        return value.length() <= MAX_TEXT ? value : value.substring(0, MAX_TEXT) + "…";
    }
}
