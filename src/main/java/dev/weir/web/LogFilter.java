package dev.weir.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** The fourth filter: one line when a request that was let on begins, one when its exchange really ends. */
public final class LogFilter extends HttpFilter {

    private final RequestLog log;

    public LogFilter(RequestLog log) {
        this.log = log;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Visit visit = Visit.of(request);
        log.started(visit, request);
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            log.failed(visit, request, response, e);
            throw e;
        }
        OnFinish.of(request, () -> log.ended(visit, request, response));
    }
}
