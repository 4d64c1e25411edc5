package dev.weir.admin;

import dev.weir.auth.AddressBlocks;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Stands before the API and the console: shows neither to addresses that may not reach them, answers to no other name than Weir's,
 * and tells browsers to be strict.
 *
 * @see <a href="https://www.w3.org/TR/CSP3/">Content Security Policy</a>
 */
public final class AdminFilter extends HttpFilter {

    private static final String CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
            + " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final transient AddressBlocks allowed;
    private final transient Way way;

    /** @param allowed from where anything can be seen */
    public AdminFilter(AddressBlocks allowed, Way way) {
        this.allowed = allowed;
        this.way = way;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        response.setHeader("Content-Security-Policy", CSP);
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        if (way.isEncrypted(request)) {
            response.setHeader("Strict-Transport-Security", "max-age=31536000");
        }
        if (!allowed.include(way.address(request))) {
            refuse(response, 404, "route_not_found", "There is nothing here.");
        } else if (!way.usesOurName(request)) {
            refuse(
                    response,
                    403,
                    "host_not_allowed",
                    "Weir is not called by this name here; mcp.allowed-hosts names more.");
        } else {
            chain.doFilter(request, response);
        }
    }

    private static void refuse(HttpServletResponse response, int status, String code, String message)
            throws IOException {
        byte[] body = ("{\"error\":\"" + code + "\",\"message\":\"" + message + "\"}").getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
