package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.upstream.Breaker;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a caller is told whose call a breaker has not let through.
 *
 * @param route the public prefix
 * @param rest  how long it takes until another call may be let through; at least a millisecond
 * @param until when that is, by the wall clock
 */
record CircuitOpen(String route, Duration rest, Instant until) {

    private static final long MILLIS_PER_SECOND = 1_000;

    /** What a call that came at this moment would be told. */
    static CircuitOpen of(Breaker breaker) {
        Breaker.Standing standing = breaker.standing();
        // It may have closed since it said no; whoever comes again at once is right then.
        Duration rest = standing.rest().isZero() ? Duration.ofMillis(1) : standing.rest();
        return new CircuitOpen(breaker.route(), rest, standing.until());
    }

    /** In one sentence for a person or a model. */
    String words() {
        return "The tool server behind [" + route
                + "] keeps failing, so no calls are sent to it now. The next try is in " + seconds() + "s.";
    }

    /** Writes the answer; the response must not be committed. */
    void write(HttpServletRequest request, HttpServletResponse response, JudgedRequest judged) throws IOException {
        request.setAttribute(JudgedRequest.REFUSED, "circuit_open");
        response.setHeader("Retry-After", String.valueOf(seconds()));
        if (request.getMethod().equals("HEAD")) {
            ProxyError.CIRCUIT_OPEN.head(response);
            return;
        }
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("route", route);
        more.put("retryAfterMs", rest.toMillis());
        more.put(
                "nextProbeAt",
                until.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS).toString());
        ProxyError.CIRCUIT_OPEN.write(response, judged, words(), more);
    }

    private long seconds() {
        return Math.floorDiv(rest.toMillis() + MILLIS_PER_SECOND - 1, MILLIS_PER_SECOND);
    }
}
