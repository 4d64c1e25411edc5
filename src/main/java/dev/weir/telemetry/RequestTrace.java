package dev.weir.telemetry;

import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.TraceMeta;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The span of one request, and those within it. It begins when the request has arrived, but is made only when its message is known,
 * because a message may say better than its header fields which trace it belongs to. Safe for use by many threads.
 */
final class RequestTrace {

    private static final String TOOL_ERROR = "tool_error";

    private final Tracing tracing;
    private final Arrival arrival;
    private final SpanContext carried;
    private final @Nullable String declaredVersion;
    private final @Nullable String userAgent;
    private final long arrivedNanos;
    private final long arrivedEpochNanos;
    private @Nullable McpMessage message;
    private @Nullable String revision;
    private TraceMeta meta = TraceMeta.NONE;
    private SpanContext named = SpanContext.getInvalid();
    private @Nullable String decision;
    private @Nullable String route;
    private @Nullable String error;
    private @Nullable Span span;

    /** @param arrivedNanos when, on the monotonic clock: not long ago */
    RequestTrace(Tracing tracing, Arrival arrival, long arrivedNanos) {
        this.tracing = tracing;
        this.arrival = arrival;
        this.arrivedNanos = arrivedNanos;
        this.arrivedEpochNanos = tracing.epochNanos();
        this.carried = carried(tracing, arrival);
        this.declaredVersion = arrival.header("MCP-Protocol-Version");
        this.userAgent = arrival.header("User-Agent");
    }

    /** The span that the header fields name. A parent that is named twice is named not at all; its state may come in pieces. */
    private static SpanContext carried(Tracing tracing, Arrival arrival) {
        String parent = arrival.header(TraceMeta.TRACEPARENT);
        List<String> state = arrival.headers().apply(TraceMeta.TRACESTATE);
        return tracing.named(fields(parent, state.isEmpty() ? null : String.join(",", state)));
    }

    private static Map<String, String> fields(@Nullable String parent, @Nullable String state) {
        Map<String, String> fields = new HashMap<>();
        if (parent != null) {
            fields.put(TraceMeta.TRACEPARENT, parent);
            if (state != null) {
                fields.put(TraceMeta.TRACESTATE, state);
            }
        }
        return fields;
    }

    synchronized void read(McpMessage what, @Nullable String itsRevision, TraceMeta itsTrace) {
        message = what;
        revision = itsRevision;
        meta = itsTrace;
        named = tracing.named(fields(itsTrace.parent(), itsTrace.state()));
    }

    synchronized void decided(String word, @Nullable String prefix, long fromNanos, long toNanos) {
        decision = word;
        route = prefix;
        Span decide = tracing.tracer()
                .spanBuilder("decide")
                .setParent(within())
                .setStartTimestamp(epoch(fromNanos), TimeUnit.NANOSECONDS)
                .startSpan();
        decide.setAttribute(Keys.DECISION, word);
        decide.end(epoch(toNanos), TimeUnit.NANOSECONDS);
    }

    /** Which limit refused it. */
    synchronized void throttled(String level) {
        span().setAttribute(Keys.LIMIT_LEVEL, level);
    }

    /** Which ban refused it. */
    synchronized void banned(String banId) {
        span().setAttribute(Keys.BAN_ID, banId);
    }

    /** It is answered with an error of JSON-RPC. */
    synchronized void error(int code) {
        error = Integer.toString(code);
        span().setAttribute(Keys.RPC_STATUS, error);
    }

    /** It is answered with a result that says that the tool has failed. */
    synchronized void toolError() {
        error = TOOL_ERROR;
    }

    /** The id of the trace, as it is written. */
    synchronized String traceId() {
        return span().getSpanContext().getTraceId();
    }

    /** The span of a call to an upstream, within this one. */
    synchronized CallTrace call(long nanos) {
        Span call = tracing.tracer()
                .spanBuilder(method())
                .setParent(within())
                .setSpanKind(SpanKind.CLIENT)
                .setStartTimestamp(epoch(nanos), TimeUnit.NANOSECONDS)
                .setAttribute(Keys.HTTP_METHOD, method())
                .startSpan();
        return new CallTrace(this, tracing.naming(call), call);
    }

    /**
     * The body in which the span of a call stands where the caller has named its own, or may be named.
     *
     * @param fields the fields that name the call
     */
    synchronized byte[] naming(byte[] body, Map<String, String> fields) {
        String parent = fields.get(TraceMeta.TRACEPARENT);
        if (parent == null) {
            return body;
        }
        if (named.isValid()) {
            return meta.replaced(body, parent);
        }
        return message != null && message.era() == Era.MODERN && meta.hasRoom()
                ? meta.with(body, parent, fields.get(TraceMeta.TRACESTATE))
                : body;
    }

    synchronized void ended(int status, long nanos) {
        Span ended = span();
        ended.setAttribute(Keys.HTTP_STATUS, (long) status);
        String type = error == null && status >= 400 ? Integer.toString(status) : error;
        if (type != null) {
            ended.setAttribute(Keys.ERROR_TYPE, type);
        }
        if (status >= 500) {
            ended.setStatus(StatusCode.ERROR);
        }
        ended.end(epoch(nanos), TimeUnit.NANOSECONDS);
    }

    /** A moment of the monotonic clock on the wall clock. */
    long epoch(long nanos) {
        return arrivedEpochNanos + (nanos - arrivedNanos);
    }

    private Context within() {
        return Context.root().with(span());
    }

    private Span span() {
        Span made = span;
        if (made == null) {
            made = make();
            span = made;
        }
        return made;
    }

    private Span make() {
        SpanContext parent = named.isValid() ? named : carried;
        SpanBuilder builder = tracing.tracer()
                .spanBuilder(name())
                .setParent(Context.root().with(Span.wrap(parent)))
                .setSpanKind(SpanKind.SERVER)
                .setStartTimestamp(arrivedEpochNanos, TimeUnit.NANOSECONDS);
        if (named.isValid() && carried.isValid()) {
            builder.addLink(carried);
        }
        return RequestAttributes.of(arrival, userAgent)
                .of(message, revision == null ? declaredVersion : revision)
                .of(decision, route)
                .onto(builder)
                .startSpan();
    }

    private String name() {
        return SpanNames.of(arrival.method(), route, message, "admit".equals(decision));
    }

    private String method() {
        return SpanNames.method(arrival.method());
    }
}
