package dev.weir.run;

import dev.weir.mcp.McpReply;
import dev.weir.web.CorsFilter;
import dev.weir.web.OriginRule;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * What a request is told that Jetty refuses by itself, because it is none by the rules of HTTP: the plain error object, like
 * every other refusal, where Jetty would write a page of HTML, and as readable from a page. Says nothing of what was sent.
 */
final class JsonErrors implements Request.Handler {

    private final OriginRule origins;

    JsonErrors(OriginRule origins) {
        this.origins = origins;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String reason = HttpStatus.getMessage(response.getStatus());
        Map<String, String> members = new LinkedHashMap<>();
        members.put("error", reason.toLowerCase(Locale.ROOT).replace(' ', '_'));
        members.put("message", "This is no request by the rules of HTTP.");
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        share(request, response);
        response.write(true, ByteBuffer.wrap(McpReply.object(members)), callback);
        return true;
    }

    private void share(Request request, Response response) {
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        String own = OriginRule.own(
                request.getHttpURI().getScheme(), request.getHeaders().get(HttpHeader.HOST));
        if (origin != null && origins.allowsOrigin(origin, own, Request.getRemoteAddr(request))) {
            CorsFilter.fields(origin).forEach(response.getHeaders()::put);
            response.getHeaders().put(HttpHeader.VARY, HttpHeader.ORIGIN.asString());
        }
    }
}
