package dev.weir.run;

import dev.weir.mcp.McpReply;
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
 * every other refusal, where Jetty would write a page of HTML. Says nothing of what was sent.
 */
final class JsonErrors implements Request.Handler {

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String reason = HttpStatus.getMessage(response.getStatus());
        Map<String, String> members = new LinkedHashMap<>();
        members.put("error", reason.toLowerCase(Locale.ROOT).replace(' ', '_'));
        members.put("message", "This is no request by the rules of HTTP.");
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.wrap(McpReply.object(members)), callback);
        return true;
    }
}
