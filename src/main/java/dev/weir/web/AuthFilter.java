package dev.weir.web;

import dev.weir.auth.Identity;
import dev.weir.gate.Gatekeeper;
import dev.weir.gate.Verdict;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * The third filter: lets on only callers that are who they have to be.
 */
public final class AuthFilter extends HttpFilter {

    private final Gatekeeper gate;
    private final Refusals refusals;

    public AuthFilter(Gatekeeper gate, Refusals refusals) {
        this.gate = gate;
        this.refusals = refusals;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Visit visit = Visit.of(request);
        if (visit.identity() instanceof Identity.Unproven unproven) {
            String route = visit.verdict() instanceof Verdict.Admit admit ? admit.route() : null;
            refusals.unproven(visit, request, response, route, unproven, gate.scopes(visit.path()));
        } else {
            chain.doFilter(request, response);
        }
    }
}
