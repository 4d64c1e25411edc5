package dev.weir.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The span of one call to an upstream. Safe for use by many threads. */
final class CallTrace {

    private static final Pattern CLASS_NAME = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*(\\.[A-Za-z0-9_$]+)+");

    private final RequestTrace request;
    private final Map<String, String> fields;
    private final Span span;
    private int sent;
    private int status;

    /** @param fields those that name the span */
    CallTrace(RequestTrace request, Map<String, String> fields, Span span) {
        this.request = request;
        this.fields = fields;
        this.span = span;
    }

    Map<String, String> fields() {
        return fields;
    }

    byte[] naming(byte[] body) {
        return request.naming(body, fields);
    }

    /** It is sent to a target; where that has got nothing of it, it may be sent to another one. */
    synchronized void sending(URI target, long nanos) {
        int port = port(target);
        if (sent++ > 0) {
            span.addEvent(
                    "retry",
                    Attributes.of(Keys.SERVER_ADDRESS, target.getHost(), Keys.SERVER_PORT, (long) port),
                    request.epoch(nanos),
                    TimeUnit.NANOSECONDS);
            span.setAttribute(Keys.HTTP_RESENDS, (long) sent - 1);
        }
        span.setAttribute(Keys.SERVER_ADDRESS, target.getHost());
        span.setAttribute(Keys.SERVER_PORT, (long) port);
        span.setAttribute(Keys.URL_FULL, bare(target));
    }

    synchronized void answering(int answered) {
        status = answered;
        span.setAttribute(Keys.HTTP_STATUS, (long) answered);
    }

    /** @param why for what reason it has failed; null if it has not */
    synchronized void ended(String outcome, @Nullable String why, long nanos) {
        span.setAttribute(Keys.OUTCOME, outcome);
        if (status >= 400 || why != null) {
            span.setAttribute(Keys.ERROR_TYPE, status >= 400 ? Integer.toString(status) : type(why));
            span.setStatus(StatusCode.ERROR);
        }
        span.end(request.epoch(nanos), TimeUnit.NANOSECONDS);
    }

    /** The class of the failure, which is what its text begins with as a rule. */
    private static String type(@Nullable String why) {
        String first = why == null ? "" : why.split("[:\\s]", 2)[0];
        return CLASS_NAME.matcher(first).matches() ? first : "_OTHER";
    }

    private static int port(URI target) {
        return target.getPort() >= 0 ? target.getPort() : "https".equalsIgnoreCase(target.getScheme()) ? 443 : 80;
    }

    /** The address without what may be secret in it. */
    private static String bare(URI target) {
        try {
            return new URI(target.getScheme(), null, target.getHost(), target.getPort(), target.getPath(), null, null)
                    .toString();
        } catch (URISyntaxException e) {
            return target.getScheme() + "://" + target.getHost();
        }
    }
}
