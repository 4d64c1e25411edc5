package dev.weir.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * In front of the limiter: refuses everything until Weir is ready, because one that knows neither its policy nor who is banned
 * can let nobody in.
 */
public final class ReadyFilter extends HttpFilter {

    /** About as long as the longest pause between two attempts to get ready. */
    private static final String RETRY_AFTER_SECONDS = "2";

    private final BooleanSupplier ready;
    private final BooleanSupplier stopping;
    private final Refusals refusals;

    /**
     * @param ready    answers from memory; once true, always true
     * @param stopping whether clients are to take their next request elsewhere
     */
    public ReadyFilter(BooleanSupplier ready, BooleanSupplier stopping, Refusals refusals) {
        this.ready = ready;
        this.stopping = stopping;
        this.refusals = refusals;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (stopping.getAsBoolean() && request.getProtocol().startsWith("HTTP/1")) {
            response.setHeader("Connection", "close");
        }
        if (ready.getAsBoolean()) {
            chain.doFilter(request, response);
        } else {
            response.setHeader("Retry-After", RETRY_AFTER_SECONDS);
            refusals.plain(Visit.of(request), request, response, Refusal.NOT_READY);
        }
    }
}
