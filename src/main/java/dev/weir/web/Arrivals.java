package dev.weir.web;

import dev.weir.telemetry.Arrival;
import dev.weir.telemetry.Observation;
import dev.weir.telemetry.Telemetry;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Begins the visit of each request: gives it its id and whoever watches it. Safe for use by many threads. */
public final class Arrivals {

    private static final String REQUEST_ID = "X-Request-ID";

    private final RequestIds requestIds;
    private final Telemetry telemetry;
    private final LogDetail log;
    private final LongSupplier nanoClock;

    /**
     * Needs what makes the parts.
     *
     * @param log       what of each request is to be kept for its lines
     * @param nanoClock a monotonic clock, in nanoseconds
     */
    public Arrivals(RequestIds requestIds, Telemetry telemetry, LogDetail log, LongSupplier nanoClock) {
        this.log = log;
        this.requestIds = requestIds;
        this.telemetry = telemetry;
        this.nanoClock = nanoClock;
    }

    /**
     * Begins one, as soon as its path and its sender are known.
     *
     * @param path    null for one that cannot be decoded
     * @param address the address literal of whoever sends the request
     */
    Visit begin(HttpServletRequest request, @Nullable String path, String address) {
        long arrived = nanoClock.getAsLong();
        String id = requestIds.of(request.getHeader(REQUEST_ID));
        Observation observation = telemetry.begin(arrived);
        request.setAttribute(Observation.ATTRIBUTE, observation);
        String known = path == null ? "/" : path;
        if (telemetry.traces()) {
            observation.arrived(arrival(request, id, known, address));
        }
        Visit visit = Visit.begin(request, id, known, address, arrived, observation);
        if (log.bodies()) {
            visit.answer().keep(RequestLine.BODY_BYTES);
        }
        return visit;
    }

    private static Arrival arrival(HttpServletRequest request, String id, String path, String address) {
        return new Arrival(
                id,
                request.getMethod(),
                request.getScheme(),
                path,
                request.getProtocol(),
                address,
                name -> Collections.list(request.getHeaders(name)));
    }
}
