package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The one view that everything here has of a request's path. A path that a container, a filter and an upstream could resolve
 * in different ways is none.
 *
 * @see <a href="https://jakarta.ee/specifications/servlet/6.0/jakarta-servlet-spec-6.0#uri-path-canonicalization">Servlet 6.0,
 *     3.5.2: URI path canonicalization</a>
 */
final class RequestPath {

    private RequestPath() {}

    /**
     * The path within the web application.
     *
     * @return null if it is not in its one plain form: with encoded characters, parameters, empty or dot segments
     */
    static @Nullable String of(HttpServletRequest request) {
        String uri = request.getRequestURI();
        String context = request.getContextPath();
        if (!uri.startsWith(context)) {
            return null;
        }
        String raw = uri.substring(context.length());
        String decoded = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        boolean plain = raw.startsWith("/")
                && raw.equals(decoded)
                && raw.indexOf('%') < 0
                && raw.indexOf(';') < 0
                && raw.indexOf('\\') < 0
                && !raw.contains("//")
                && !raw.contains("/./")
                && !raw.contains("/../")
                && !raw.endsWith("/.")
                && !raw.endsWith("/..");
        return plain ? raw : null;
    }
}
