package dev.weir.upstream;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One question to one target whether it is well.
 *
 * <p>An HTTP server is well if it answers a GET with 2xx or 3xx. An MCP server is first asked for {@code server/discover}, under a session
 * that nobody has opened: a newer one answers, an older one says in JSON-RPC that it knows no such session or method, and neither
 * opens one. Whoever says neither is asked to {@code initialize}, and the session that comes of it is ended again.
 *
 * <p>Safe for use by many threads.
 */
final class HealthProbe {

    private enum Step {
        GET,
        DISCOVER,
        INITIALIZE,
        FAREWELL,
        OVER
    }

    private static final String NO_SESSION = "weir-health-check";
    private static final String MODERN = "2026-07-28";
    private static final String LEGACY = "2025-11-25";

    private static final String DISCOVER = """
            {"jsonrpc":"2.0","id":"weir-health-check","method":"server/discover","params":{"_meta":{\
            "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},\
            "io.modelcontextprotocol/clientInfo":{"name":"weir-health-check","version":"1"}}}}""";

    private static final String INITIALIZE = """
            {"jsonrpc":"2.0","id":"weir-health-check","method":"initialize","params":{"protocolVersion":"2025-11-25",\
            "capabilities":{},"clientInfo":{"name":"weir-health-check","version":"1"}}}""";

    private static final Pattern JSON_RPC = Pattern.compile("\"jsonrpc\"\\s*:\\s*\"2\\.0\"");
    private static final Pattern RESULT = Pattern.compile("\"result\"\\s*:\\s*\\{");
    private static final int MOST_TEXT = 64 * 1024;

    private final UpstreamClient client;
    private final Upstream at;
    private final Fleet.Check check;
    private final TargetHealth health;
    private final long begunAt;
    private Step step = Step.OVER;
    private UpstreamClient.@Nullable Call call;

    HealthProbe(UpstreamClient client, Upstream at, Fleet.Check check, TargetHealth health, long begunAt) {
        this.client = client;
        this.at = at;
        this.check = check;
        this.health = health;
        this.begunAt = begunAt;
    }

    long begunAt() {
        return begunAt;
    }

    synchronized boolean isOver() {
        return step == Step.OVER;
    }

    void begin() {
        if (check.mcp()) {
            ask(Step.DISCOVER, "POST", DISCOVER, NO_SESSION);
        } else {
            ask(Step.GET, "GET", "", null);
        }
    }

    /** Ends the question, if it has not ended. */
    void giveUp(String why) {
        Step before;
        UpstreamClient.Call running;
        synchronized (this) {
            before = step;
            step = Step.OVER;
            running = call;
        }
        if (before != Step.OVER && before != Step.FAREWELL) {
            health.checkFailed(why);
        }
        if (running != null && before != Step.OVER) {
            running.abort(new IOException(why));
        }
    }

    private void ask(Step next, String method, String body, @Nullable String session) {
        UpstreamRequest request = new UpstreamRequest(
                method,
                address(),
                at.access().over(headers(next, session)),
                ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)),
                // So that it does not have to queue up with calls.
                true);
        Answer answer = new Answer(next);
        synchronized (this) {
            step = next;
            call = null;
        }
        UpstreamClient.Call sent = client.send(at, request, answer);
        synchronized (this) {
            if (step == next) {
                call = sent;
                return;
            }
        }
        sent.abort(new IOException("answered already"));
    }

    private URI address() {
        return check.path().isEmpty() ? at.base() : URI.create(at.origin() + check.path());
    }

    private static List<Header> headers(Step step, @Nullable String session) {
        List<Header> headers = new ArrayList<>();
        headers.add(new Header("User-Agent", "weir-health-check"));
        if (step == Step.GET) {
            return headers;
        }
        headers.add(new Header("Accept", "application/json, text/event-stream"));
        if (step != Step.FAREWELL) {
            headers.add(new Header("Content-Type", "application/json"));
        }
        headers.add(new Header("MCP-Protocol-Version", step == Step.DISCOVER ? MODERN : LEGACY));
        if (step == Step.DISCOVER) {
            headers.add(new Header("Mcp-Method", "server/discover"));
        }
        if (session != null) {
            headers.add(new Header("Mcp-Session-Id", session));
        }
        return headers;
    }

    /** Takes what a step has come to; says whether it was still waited for. */
    private boolean leave(Step from) {
        UpstreamClient.Call running;
        synchronized (this) {
            if (step != from) {
                return false;
            }
            step = Step.OVER;
            running = call;
        }
        if (running != null) {
            // What is not read may be a stream without an end.
            running.abort(new IOException("read enough"));
        }
        return true;
    }

    private void well(@Nullable String session) {
        health.succeeded("check");
        if (session != null && !session.equals(NO_SESSION)) {
            ask(Step.FAREWELL, "DELETE", "", session);
        }
    }

    private final class Answer implements UpstreamClient.Answer {

        private final Step asked;
        private final StringBuilder text = new StringBuilder();
        private int status;
        private @Nullable String session;

        Answer(Step asked) {
            this.asked = asked;
        }

        @Override
        public void onHead(int answered, List<Header> headers) {
            status = answered;
            for (Header header : headers) {
                if (header.name().toLowerCase(Locale.ROOT).equals("mcp-session-id")) {
                    session = header.value();
                }
            }
            if (asked == Step.GET || asked == Step.FAREWELL || status >= 500) {
                judge();
            }
        }

        @Override
        public void onContent(ByteBuffer content, Runnable more) {
            text.append(StandardCharsets.ISO_8859_1.decode(content.duplicate()));
            more.run();
            if (isJsonRpc() || text.length() > MOST_TEXT) {
                judge();
            }
        }

        @Override
        public void onComplete() {
            judge();
        }

        @Override
        public void onFailure(Throwable cause) {
            if (leave(asked) && asked != Step.FAREWELL) {
                health.checkFailed(cause.toString());
            }
        }

        private boolean isJsonRpc() {
            return JSON_RPC.matcher(text).find()
                    && (asked != Step.INITIALIZE
                            || text.indexOf("\"error\"") >= 0
                            || RESULT.matcher(text).find());
        }

        private void judge() {
            if (!leave(asked)) {
                return;
            }
            switch (asked) {
                case GET -> {
                    if (status < 400) {
                        well(null);
                    } else {
                        health.checkFailed("status " + status);
                    }
                }
                case DISCOVER -> discovered();
                case INITIALIZE -> {
                    if (status == 200 && RESULT.matcher(text).find()) {
                        well(session);
                    } else {
                        health.checkFailed("status " + status + " to initialize");
                    }
                }
                default -> {
                    // Whether the session was ended is the server's affair.
                }
            }
        }

        private void discovered() {
            boolean refused = status == 401 || status == 403 || status >= 500;
            if (refused) {
                health.checkFailed("status " + status + " to server/discover");
            } else if (isJsonRpc()) {
                well(session);
            } else {
                ask(Step.INITIALIZE, "POST", INITIALIZE, null);
            }
        }
    }
}
