package dev.weir.web;

import dev.weir.auth.Identity;
import dev.weir.gate.Verdict;
import dev.weir.log.SecretText;
import dev.weir.mcp.McpMessage;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** The fields of the lines that tell of a request: what it was, and what came of it. */
final class RequestLine {

    /** Bodies that are shown are shorter. */
    static final int BODY_BYTES = 1_024;

    private static final int MAX_TEXT = 256;

    private RequestLine() {}

    static Level level(int status, boolean failed) {
        if (status >= 400 && status < 500) {
            return Level.WARN;
        }
        return status >= 500 || failed ? Level.ERROR : Level.INFO;
    }

    /** What is known when it arrives. */
    static LoggingEventBuilder arrival(LoggingEventBuilder line, Visit visit) {
        LoggingEventBuilder arrival = line.addKeyValue("request_id", visit.requestId())
                .addKeyValue("method", cut(visit.httpMethod()))
                .addKeyValue("path", cut(visit.path()));
        String query = visit.query();
        arrival = text(arrival, "query", query == null ? null : QueryMask.of(query));
        arrival = text(arrival.addKeyValue("client_ip", visit.address()), "user_agent", visit.userAgent());
        return text(arrival, "trace_id", visit.observation().traceId());
    }

    /** Who sent it, what it asked for, and what was said to that. */
    static LoggingEventBuilder outcome(LoggingEventBuilder line, Visit visit) {
        LoggingEventBuilder told = line;
        Identity identity = visit.identity();
        if (identity != null) {
            told = told.addKeyValue("principal", identity.caller().principal().key());
            told = text(told, "client", identity.caller().client());
        }
        McpMessage message = visit.message();
        if (message != null) {
            told = text(text(told, "mcp_method", message.method()), "tool", message.tool());
        }
        told = verdict(told, visit.verdict());
        return text(told, "refusal", visit.refusal())
                .addKeyValue("bytes", visit.answer().bytes());
    }

    /** The fields of a kind of refusals. */
    static LoggingEventBuilder kind(LoggingEventBuilder line, Refused kind) {
        LoggingEventBuilder told = line.addKeyValue("principal", kind.who());
        if (kind.status() != 0) {
            told = told.addKeyValue("status_code", kind.status());
        }
        told = text(text(told, "tool", kind.tool()), "decision", kind.decision());
        told = text(text(told, "route", kind.route()), "limit_level", kind.level());
        return text(told, "refusal", kind.refusal());
    }

    static Refused kind(Visit visit, int status) {
        Identity identity = visit.identity();
        McpMessage message = visit.message();
        Verdict verdict = visit.verdict();
        return new Refused(
                identity == null
                        ? "address:" + visit.address()
                        : identity.caller().principal().key(),
                status,
                verdict == null ? null : verdict.decision(),
                visit.refusal(),
                verdict == null ? null : verdict.route(),
                message == null || message.tool() == null ? null : cut(message.tool()),
                verdict instanceof Verdict.Throttle throttle ? throttle.level() : null);
    }

    /** The header fields of an answer that are to be told. */
    static LoggingEventBuilder headers(
            LoggingEventBuilder line, HttpServletResponse response, Collection<String> names) {
        Map<String, String> told = new LinkedHashMap<>();
        for (String name : names) {
            Collection<String> values = response.getHeaders(name);
            if (!values.isEmpty()) {
                told.put(name, shown(name, String.join(", ", values)));
            }
        }
        return told.isEmpty() ? line : line.addKeyValue("response_headers", told);
    }

    private static String shown(String name, String value) {
        if (SecretText.isSecretName(name)) {
            return SecretText.MASK;
        }
        boolean address = name.equals("location") || name.equals("content-location");
        int query = address ? value.indexOf('?') : -1;
        return cut(query < 0 ? value : value.substring(0, query));
    }

    /** The bodies, masked, as far as they are short and texts. */
    static LoggingEventBuilder bodies(LoggingEventBuilder line, Visit visit) {
        byte[] request = visit.body();
        LoggingEventBuilder told = line;
        if (request != null) {
            told = body(told.addKeyValue("request_bytes", request.length), "request_body", request, visit);
        }
        byte[] answer = visit.answer().body();
        return answer == null ? told : body(told, "response_body", answer, visit);
    }

    private static LoggingEventBuilder body(LoggingEventBuilder line, String name, byte[] bytes, Visit visit) {
        if (bytes.length == 0 || bytes.length >= BODY_BYTES) {
            return line;
        }
        try {
            String body = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return line.addKeyValue(name, BodyMask.of(body, visit.credentials()));
        } catch (CharacterCodingException e) {
            return line;
        }
    }

    private static LoggingEventBuilder verdict(LoggingEventBuilder line, @Nullable Verdict verdict) {
        if (verdict == null) {
            return line;
        }
        LoggingEventBuilder told = text(line.addKeyValue("decision", verdict.decision()), "route", verdict.route());
        if (verdict instanceof Verdict.Admit admit) {
            return text(told, "would_throttle", admit.wouldThrottle());
        }
        if (verdict instanceof Verdict.Throttle throttle) {
            return told.addKeyValue("limit_level", throttle.level()).addKeyValue("strikes", throttle.strikes());
        }
        return verdict instanceof Verdict.Shut shut ? told.addKeyValue("ban_id", shut.banId()) : told;
    }

    static LoggingEventBuilder text(LoggingEventBuilder line, String name, @Nullable String value) {
        return value == null ? line : line.addKeyValue(name, cut(value));
    }

    private static String cut(String value) {
        return value.length() <= MAX_TEXT ? value : value.substring(0, MAX_TEXT) + "…";
    }
}
