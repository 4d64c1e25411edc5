package dev.weir.web;

import dev.weir.auth.Identity;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * The third filter: lets on only callers that are who they have to be.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6750#section-3">RFC 6750, 3: the WWW-Authenticate field</a>
 */
public final class AuthFilter extends HttpFilter {

    private final Refusals refusals;

    public AuthFilter(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Visit visit = Visit.of(request);
        if (visit.identity() instanceof Identity.Unproven unproven) {
            String challenge =
                    unproven.presented() ? "Bearer realm=\"weir\", error=\"invalid_token\"" : "Bearer realm=\"weir\"";
            response.setHeader("WWW-Authenticate", challenge);
            refusals.plain(
                    visit, request, response, unproven.presented() ? Refusal.BAD_CREDENTIAL : Refusal.UNAUTHENTICATED);
        } else {
            chain.doFilter(request, response);
        }
    }
}
