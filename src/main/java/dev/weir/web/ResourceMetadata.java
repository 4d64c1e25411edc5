package dev.weir.web;

import dev.weir.gate.Resources;
import dev.weir.mcp.McpReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells clients which authorization server gives tokens for a route. Needs no credential, and answers from memory.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9728">RFC 9728: OAuth 2.0 protected resource metadata</a>
 */
public final class ResourceMetadata extends HttpServlet {

    /** Where it is served, with a route's prefix behind it. */
    public static final String PATH = "/.well-known/oauth-protected-resource";

    private static final String FIXED = "max-age=300";

    private final Resources resources;
    private final PublicBase base;
    private final @Nullable String issuer;

    /** @param issuer the authorization server; null if there is none, and then there is nothing to tell */
    public ResourceMetadata(Resources resources, PublicBase base, @Nullable String issuer) {
        this.resources = resources;
        this.base = base;
        this.issuer = issuer;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean head = request.getMethod().equals("HEAD");
        if (!head && !request.getMethod().equals("GET")) {
            response.setHeader("Allow", "GET, HEAD");
            Map<String, String> body =
                    Map.of("error", "method_not_allowed", "message", "This can be read, and nothing else.");
            write(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, body, false);
            return;
        }
        String path = request.getPathInfo();
        Resources.Resource resource = path == null ? resources.root() : resources.named(path);
        if (issuer == null || resource == null) {
            Map<String, String> body =
                    Map.of("error", "not_found", "message", "There is no resource here that tokens are given for.");
            write(response, HttpServletResponse.SC_NOT_FOUND, body, head);
        } else {
            response.setHeader("Cache-Control", base.isFixed() ? FIXED : "no-store");
            write(response, HttpServletResponse.SC_OK, told(resource, base.withContext(request), issuer), head);
        }
    }

    private static Map<String, Object> told(Resources.Resource resource, String base, String issuer) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("resource", base + resource.prefix());
        told.put("authorization_servers", List.of(issuer));
        if (!resource.scopes().isEmpty()) {
            told.put("scopes_supported", List.copyOf(new TreeSet<>(resource.scopes())));
        }
        told.put("bearer_methods_supported", List.of("header"));
        told.put("resource_name", "Weir " + resource.prefix());
        return told;
    }

    private static void write(HttpServletResponse response, int status, Map<String, ?> members, boolean head)
            throws IOException {
        byte[] body = McpReply.object(members);
        response.setStatus(status);
        response.setContentType("application/json");
        if (response.getHeader("Cache-Control") == null) {
            response.setHeader("Cache-Control", "no-store");
        }
        response.setContentLength(body.length);
        if (!head) {
            response.getOutputStream().write(body);
        }
    }
}
