package dev.weir.proxy;

import dev.weir.mcp.Era;
import dev.weir.mcp.ForwardedAs;
import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.Reading;
import dev.weir.mcp.RequestId;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stands in for the filters before the proxy: reads the body and hands it down, and sees how the request ended. */
final class JudgingFilter extends HttpFilter {

    private static final String ENDED = "test.ended";
    private static final Pattern ID = Pattern.compile("\"id\":(\"[^\"]*\"|-?\\d+)");
    private static final Pattern METHOD = Pattern.compile("\"method\":\"([^\"]*)\"");

    private final transient Queue<String> outcomes;

    JudgingFilter(Queue<String> outcomes) {
        this.outcomes = outcomes;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.REQUEST) {
            byte[] body = request.getInputStream().readAllBytes();
            String id = request.getHeader("Test-Request-Id");
            JudgedRequest judged = judged(request, id == null ? "req-1" : id, body);
            String hidden = request.getHeader("Test-Hidden");
            request.setAttribute(
                    JudgedRequest.ATTRIBUTE,
                    hidden == null
                            ? judged
                            : judged.showing(name -> !List.of(hidden.split(",")).contains(name)));
            String owner = request.getHeader("Test-Owner");
            request.setAttribute(JudgedRequest.OWNER, owner == null ? "client:c1" : owner);
            request.setAttribute(
                    ForwardedAs.ATTRIBUTE,
                    new ForwardedAs(request.getRemoteAddr(), request.getScheme(), request.getHeader("Host")));
            request.setAttribute(ENDED, new AtomicBoolean());
            response.setHeader("X-Set-By-A-Filter", "yes");
            response.setHeader("Access-Control-Allow-Origin", "https://front.example");
        }
        try {
            chain.doFilter(request, response);
        } finally {
            if (request.isAsyncStarted()) {
                request.getAsyncContext().addListener(new OutcomeListener(request));
            } else if (request.getDispatcherType() == DispatcherType.ASYNC) {
                // An answer that is broken off comes back this way; Jetty tells its listeners nothing then.
                ended(request);
            }
        }
    }

    /** A body that is an array counts as a batch of one message, which asks for a list of tools. */
    private static JudgedRequest judged(HttpServletRequest request, String id, byte[] body) {
        if (body.length > 0 && body[0] == '[') {
            McpMessage list =
                    new McpMessage(McpMessage.Kind.REQUEST, new RequestId("1"), "tools/list", null, Era.LEGACY, null);
            return new JudgedRequest(id, null, new Reading.Batch(List.of(list)), body, () -> {});
        }
        return new JudgedRequest(id, body.length == 0 ? null : message(request, body), body);
    }

    private void ended(HttpServletRequest request) {
        AtomicBoolean ended = (AtomicBoolean) request.getAttribute(ENDED);
        if (ended.compareAndSet(false, true)) {
            Object failure = request.getAttribute(JudgedRequest.FAILURE);
            outcomes.add(failure == null ? "none" : failure.toString());
        }
    }

    private static McpMessage message(HttpServletRequest request, byte[] body) {
        String json = new String(body, StandardCharsets.UTF_8);
        Matcher id = ID.matcher(json);
        Matcher method = METHOD.matcher(json);
        String name = method.find() ? method.group(1) : null;
        RequestId requestId = id.find() ? new RequestId(id.group(1)) : null;
        McpMessage.Kind kind = name == null
                ? McpMessage.Kind.RESPONSE
                : requestId == null ? McpMessage.Kind.NOTIFICATION : McpMessage.Kind.REQUEST;
        Era era = request.getHeader("Test-Modern") == null ? Era.LEGACY : Era.MODERN;
        return new McpMessage(kind, requestId, name, null, era, null);
    }

    private final class OutcomeListener implements AsyncListener {

        private final HttpServletRequest request;

        OutcomeListener(HttpServletRequest request) {
            this.request = request;
        }

        @Override
        public void onComplete(AsyncEvent event) {
            ended(request);
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
