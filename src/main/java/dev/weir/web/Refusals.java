package dev.weir.web;

import dev.weir.auth.Identity;
import dev.weir.gate.Form;
import dev.weir.gate.Quota;
import dev.weir.gate.Verdict;
import dev.weir.mcp.ClientStreams;
import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.McpReply;
import dev.weir.mcp.Reading;
import dev.weir.mcp.RequestId;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The only writer of refusals: turns verdicts, failed readings and failed logins into statuses, fields and bodies. */
public final class Refusals {

    /** What many servers write into their logs for an answer that nobody was there for. */
    private static final int CALLER_LEFT = 499;

    private static final String META_PREFIX = "dev.weir/";
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double MILLIS_PER_SECOND = 1000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** What a refusal is called to programs, by the era of who asked: the newer one has reserved the older codes. */
    private enum Code {
        THROTTLED(-32029, -31029),
        BANNED(-32030, -31030),
        FORBIDDEN(-32031, -31031);

        private final int legacy;
        private final int modern;

        Code(int legacy, int modern) {
            this.legacy = legacy;
            this.modern = modern;
        }
    }

    private final RequestLog log;
    private final InstantSource clock;
    private final ClientStreams streams;
    private final Challenge challenge;

    /**
     * @param clock    the wall clock, on which bans end
     * @param streams  where callers are told who do not read the answers to what they send
     * @param metadata where callers are sent that need another credential
     */
    public Refusals(RequestLog log, InstantSource clock, ClientStreams streams, MetadataAddress metadata) {
        this.challenge = new Challenge(metadata);
        this.log = log;
        this.clock = clock;
        this.streams = streams;
    }

    /** Writes a refusal of the gate. */
    void refuse(Visit visit, HttpServletRequest request, HttpServletResponse response, Verdict verdict)
            throws IOException {
        // Whoever has read its answer may be gone before the writing of it has returned, and that is no reason for no
        // line.
        try {
            if (verdict instanceof Verdict.Throttle throttle) {
                throttled(visit, response, throttle);
            } else if (verdict instanceof Verdict.Shut shut) {
                shut(visit, response, shut);
            } else if (verdict instanceof Verdict.Forbid forbid) {
                forbidden(visit, request, response, forbid);
            } else if (verdict instanceof Verdict.Oversized oversized) {
                oversized(visit, response, oversized);
            } else {
                throw new IllegalArgumentException("not a refusal: " + verdict);
            }
        } finally {
            log.refused(visit, request, response, "gate");
        }
    }

    /** To be called at the end of an exchange whose refusal had to wait: its caller may have left without it. */
    void ended(Visit visit, Verdict verdict) {
        if (verdict instanceof Verdict.Throttle throttle) {
            throttle.answered().run();
        }
        log.left(visit, CALLER_LEFT);
    }

    /** Writes a refusal of a body that could not be read. */
    void unreadable(
            Visit visit, HttpServletRequest request, HttpServletResponse response, Reading.Unreadable unreadable)
            throws IOException {
        response.setStatus(unreadable.status());
        visit.observation().error(unreadable.code());
        try {
            write(response, McpReply.error(unreadable.id(), unreadable.code(), unreadable.reason(), Map.of()));
        } finally {
            log.refused(visit, request, response, "unreadable");
        }
    }

    /** Writes the refusal of a caller that has not proven who it is. */
    void unproven(
            Visit visit,
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable String route,
            Identity.Unproven who,
            Set<String> scopes)
            throws IOException {
        if (who.presented()) {
            challenge.badToken(request, response, route, who.why(), scopes);
            plain(visit, request, response, Refusal.BAD_CREDENTIAL);
        } else {
            challenge.login(request, response, route, scopes);
            plain(visit, request, response, Refusal.UNAUTHENTICATED);
        }
    }

    /** Writes a refusal that is neither the gate's nor about what a body says. */
    void plain(Visit visit, HttpServletRequest request, HttpServletResponse response, Refusal refusal)
            throws IOException {
        response.setStatus(refusal.status());
        try {
            if (!request.getMethod().equals("HEAD")) {
                McpMessage message = visit.message();
                write(
                        response,
                        message != null && message.id() != null
                                ? error(visit, refusal.code(), refusal.message(), refusal.details(visit.requestId()))
                                : McpReply.object(ordered("error", refusal.error(), "message", refusal.message())));
            }
        } finally {
            log.refused(visit, request, response, refusal.error());
        }
    }

    /** Writes the header fields that tell a caller what is left, on admitted and refused answers alike. */
    static void tell(HttpServletResponse response, Quota quota) {
        long window = Math.max(1, Math.round(quota.burst() / Math.max(quota.ratePerSecond(), 1e-9)));
        long full = (quota.fullNanos() + NANOS_PER_SECOND - 1) / NANOS_PER_SECOND;
        String name = '"' + quota.policy() + '"';
        response.setHeader("RateLimit-Policy", name + ";q=" + quota.burst() + ";w=" + window);
        response.setHeader("RateLimit", name + ";r=" + quota.remaining() + ";t=" + full);
        response.setHeader("X-RateLimit-Limit", Long.toString(quota.burst()));
        response.setHeader("X-RateLimit-Remaining", Long.toString(quota.remaining()));
    }

    private void throttled(Visit visit, HttpServletResponse response, Verdict.Throttle throttle) throws IOException {
        tell(response, throttle.quota());
        boolean ends = throttle.waitNanos() != Verdict.NEVER;
        boolean known = ends && throttle.waitNanos() > 0;
        if (ends) {
            response.setHeader("Retry-After", Long.toString(wholeSeconds(throttle.waitNanos())));
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("reason", "throttled");
        data.put("level", throttle.level());
        if (throttle.tool() != null) {
            data.put(throttle.level().equals("method") ? "method" : "tool", throttle.tool());
        }
        data.put("tier", throttle.quota().policy());
        data.put("limit", throttle.quota().ratePerSecond());
        data.put("burst", throttle.quota().burst());
        if (throttle.quota().maxConcurrent() > 0) {
            data.put("maxConcurrent", throttle.quota().maxConcurrent());
        }
        if (known) {
            data.put("retryAfterMs", wholeMillis(throttle.waitNanos()));
        }
        if (throttle.strikes() > 0) {
            data.put("strikes", throttle.strikes());
            data.put("strikesUntilBan", throttle.strikesUntilBan());
        }
        data.put("requestId", visit.requestId());
        throttle.answered().run();
        if (visit.message() == null) {
            response.setStatus(429);
            Map<String, Object> body = ordered("error", "Rate limit exceeded");
            if (known) {
                body.put("retry_after", wholeMillis(throttle.waitNanos()) / MILLIS_PER_SECOND);
            }
            write(response, McpReply.object(body));
        } else {
            answer(visit, response, throttle.form(), 429, Code.THROTTLED, RefusalWords.of(throttle), data);
        }
    }

    private void shut(Visit visit, HttpServletResponse response, Verdict.Shut shut) throws IOException {
        long remaining = shut.remainingMillis(clock.millis());
        String words = RefusalWords.of(shut, remaining);
        response.setHeader("Retry-After", Long.toString((remaining + 999) / 1000));
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("reason", "banned");
        data.put("banId", shut.banId());
        data.put("bannedUntil", shut.until());
        data.put("retryAfterMs", remaining);
        data.put("requestId", visit.requestId());
        if (visit.message() == null) {
            response.setStatus(403);
            write(response, McpReply.object(ordered("error", "Banned", "message", words)));
        } else {
            answer(visit, response, shut.form(), 403, Code.BANNED, words, data);
        }
    }

    private void forbidden(Visit visit, HttpServletRequest request, HttpServletResponse response, Verdict.Forbid forbid)
            throws IOException {
        int status = HttpServletResponse.SC_FORBIDDEN;
        if (forbid.remedy() == Verdict.Remedy.LOGIN) {
            status = HttpServletResponse.SC_UNAUTHORIZED;
            challenge.login(request, response, forbid.route(), forbid.scopes());
        } else if (forbid.remedy() == Verdict.Remedy.SCOPES) {
            challenge.moreScopes(request, response, forbid.route(), forbid.scopes());
        }
        Map<String, Object> data = ordered("reason", "forbidden");
        if (forbid.tool() != null) {
            data.put("tool", forbid.tool());
        }
        data.put("requestId", visit.requestId());
        if (visit.message() == null) {
            response.setStatus(status);
            write(response, McpReply.object(ordered("error", "Forbidden", "message", RefusalWords.of(forbid))));
        } else {
            answer(visit, response, forbid.form(), status, Code.FORBIDDEN, RefusalWords.of(forbid), data);
        }
    }

    private static void oversized(Visit visit, HttpServletResponse response, Verdict.Oversized oversized)
            throws IOException {
        String words = "This batch can never be admitted: " + oversized.why() + ". Send fewer messages at a time.";
        Map<String, Object> data = ordered("reason", "oversized", "requestId", visit.requestId());
        if (oversized.form() == Form.DROPPED) {
            response.setStatus(HttpServletResponse.SC_ACCEPTED);
        } else {
            response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
            write(response, error(visit, Reading.Unreadable.INVALID_REQUEST, words, data));
        }
    }

    private void answer(
            Visit visit,
            HttpServletResponse response,
            Form form,
            int status,
            Code code,
            String words,
            Map<String, ?> data)
            throws IOException {
        McpMessage message = visit.message();
        RequestId id = message == null ? null : message.id();
        Era era = message == null ? Era.LEGACY : message.era();
        int number = era == Era.MODERN ? code.modern : code.legacy;
        switch (form) {
            case DROPPED -> response.setStatus(HttpServletResponse.SC_ACCEPTED);
            case HTTP_STATUS -> {
                response.setStatus(status);
                write(response, error(visit, number, words, data));
            }
            case JSONRPC_ERROR -> say(visit, response, status, error(visit, number, words, data));
            case TOOL_RESULT -> {
                Map<String, Object> meta = new LinkedHashMap<>();
                data.forEach((name, value) -> meta.put(META_PREFIX + name, value));
                visit.observation().toolError();
                say(visit, response, status, toolError(id, era, words, meta));
            }
        }
    }

    /**
     * Tells a caller where it looks for answers. One that waits on a stream of its own would wait for ever for what it is
     * told under HTTP 200; where it has no stream here, the status of an error is what it does look at.
     */
    private void say(Visit visit, HttpServletResponse response, int status, byte[] body) throws IOException {
        switch (streams.deliver(visit.path(), visit.query(), visit.owner(), body)) {
            case NOT_MEANT -> write(response, body);
            case SENT -> response.setStatus(HttpServletResponse.SC_ACCEPTED);
            case NO_STREAM -> {
                response.setStatus(status);
                write(response, body);
            }
        }
    }

    /** One error for the message; for a batch, one for each of its requests. */
    private static byte[] error(Visit visit, int code, String words, Map<String, ?> data) {
        visit.observation().error(code);
        Reading.Batch batch = visit.batch();
        if (batch != null && !batch.ids().isEmpty()) {
            return McpReply.errors(batch.ids(), code, words, data);
        }
        McpMessage message = visit.message();
        return McpReply.error(message == null ? null : message.id(), code, words, data);
    }

    private static byte[] toolError(@Nullable RequestId id, Era era, String words, Map<String, ?> meta) {
        if (id == null) {
            throw new IllegalArgumentException("only a request with an id is answered with a result");
        }
        return McpReply.toolError(id, era, words, meta);
    }

    private static void write(HttpServletResponse response, byte[] body) throws IOException {
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static long wholeMillis(long nanos) {
        return Math.max(1, (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }

    private static long wholeSeconds(long nanos) {
        return Math.max(1, (nanos + NANOS_PER_SECOND - 1) / NANOS_PER_SECOND);
    }

    private static Map<String, Object> ordered(Object... members) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < members.length; i += 2) {
            map.put((String) members[i], members[i + 1]);
        }
        return map;
    }
}
