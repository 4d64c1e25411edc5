package dev.weir.run.storm;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An MCP endpoint that shakes hands as it should, and answers the n-th tool call as it was told to. */
final class StubUpstream implements AutoCloseable {

    /** What the n-th call, from 1, gets: what stands beside the id in the JSON-RPC answer, or one of the words below. */
    interface Script {
        String answer(int call);
    }

    /** The answer that is not given until the call numbered in {@link #holdUntil} has arrived. */
    static final String HOLD = "hold";

    static final String HTTP_429 = "429";
    static final String HTTP_403 = "403";

    static final String ADMITTED = "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"well\"}],\"isError\":false}";

    final List<Long> arrivals = new CopyOnWriteArrayList<>();
    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<String> authorizations = new CopyOnWriteArrayList<>();
    final List<String> methods = new CopyOnWriteArrayList<>();
    int handshakeStatus = 200;
    int holdUntil = Integer.MAX_VALUE;

    private final Script script;
    private final List<Runnable> held = new ArrayList<>();
    private final JsonMapper json = new JsonMapper();
    private final Server jetty = new Server();
    private final ServerConnector connector = new ServerConnector(jetty);

    StubUpstream(Script script) throws Exception {
        this.script = script;
        connector.setHost("127.0.0.1");
        jetty.addConnector(connector);
        ServletHolder holder = new ServletHolder(new Endpoint());
        holder.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(holder, "/up/mcp");
        jetty.setHandler(context);
        jetty.start();
    }

    String url() {
        return "http://127.0.0.1:" + connector.getLocalPort() + "/up/mcp";
    }

    @Override
    public void close() {
        LifeCycle.stop(jetty);
    }

    private final class Endpoint extends HttpServlet {

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(405);
        }

        @Override
        protected void doDelete(HttpServletRequest request, HttpServletResponse response) {
            methods.add("DELETE");
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            JsonNode message = json.readTree(request.getInputStream().readAllBytes());
            String method = message.path("method").asString();
            methods.add(method);
            authorizations.add(String.valueOf(request.getHeader("Authorization")));
            if (method.equals("initialize") && handshakeStatus != 200) {
                response.setStatus(handshakeStatus);
            } else if (method.equals("initialize")) {
                response.setHeader("Mcp-Session-Id", "session-1");
                write(response, message, initialized(message));
            } else if (method.equals("tools/call")) {
                call(request, message);
            } else {
                response.setStatus(202);
            }
        }

        private void call(HttpServletRequest request, JsonNode message) {
            AsyncContext exchange = request.startAsync();
            exchange.setTimeout(0);
            synchronized (held) {
                arrivals.add(System.nanoTime());
                calls.add(message.path("params").toString());
                String answer = script.answer(arrivals.size());
                if (answer.equals(HOLD)) {
                    held.add(() -> finish(exchange, message, ADMITTED));
                } else {
                    finish(exchange, message, answer);
                }
                if (arrivals.size() >= holdUntil) {
                    held.forEach(Runnable::run);
                    held.clear();
                }
            }
        }

        private String initialized(JsonNode message) {
            return "\"result\":{\"protocolVersion\":"
                    + message.path("params").path("protocolVersion")
                    + ",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"stub\",\"version\":\"1\"}}";
        }

        private void finish(AsyncContext exchange, JsonNode message, String answer) {
            HttpServletResponse response = (HttpServletResponse) exchange.getResponse();
            try {
                if (answer.equals(HTTP_429) || answer.equals(HTTP_403)) {
                    response.setStatus(Integer.parseInt(answer));
                } else {
                    write(response, message, answer);
                }
            } catch (IOException e) {
                // The client has gone: nothing is left to be told.
            } finally {
                exchange.complete();
            }
        }

        private void write(HttpServletResponse response, JsonNode message, String rest) throws IOException {
            response.setContentType("application/json");
            String body = "{\"jsonrpc\":\"2.0\",\"id\":" + message.path("id") + "," + rest + "}";
            response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
    }
}
