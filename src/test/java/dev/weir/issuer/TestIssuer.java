package dev.weir.issuer;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * An authorization server as far as a resource server sees it: its metadata and its keys, on a port of loopback. It can be told to
 * hang, to be away, and to answer with anything.
 */
public final class TestIssuer implements AutoCloseable {

    /** Where its keys are. */
    public static final String JWKS = "/jwks";

    /** Where its metadata is, unless a test puts it elsewhere. */
    public static final String METADATA = "/.well-known/oauth-authorization-server";

    /** One answer. */
    public record Page(int status, Map<String, String> headers, String body) {

        public static Page json(String body) {
            return new Page(200, Map.of("Content-Type", "application/json"), body);
        }
    }

    /** What somebody has asked. */
    public record Question(String query, String body) {}

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);
    private final Map<String, Function<Question, Page>> pages = new ConcurrentHashMap<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final List<TestKey> keys = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private volatile boolean hanging;

    private TestIssuer() {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws IOException {
                String path = request.getHttpURI().getPath();
                asked.add(path);
                String query = request.getHttpURI().getQuery();
                Question question = new Question(query == null ? "" : query, Content.Source.asString(request));
                Runnable answer = () -> answer(path, question, response, callback);
                if (hanging) {
                    held.add(answer);
                } else {
                    answer.run();
                }
                return true;
            }
        });
    }

    /** One with these keys, running. */
    public static TestIssuer start(TestKey... keys) throws Exception {
        TestIssuer issuer = new TestIssuer();
        issuer.keys.addAll(List.of(keys));
        issuer.serve(JWKS, question -> Page.json(issuer.jwksJson()));
        issuer.server.start();
        issuer.connector.setPort(issuer.connector.getLocalPort());
        return issuer;
    }

    /** Its name, which is an address. */
    public URI issuer() {
        return URI.create("http://127.0.0.1:" + connector.getPort());
    }

    public URI jwks() {
        return issuer().resolve(JWKS);
    }

    /** From now on it has these keys and no others. */
    public void has(TestKey... now) {
        keys.clear();
        keys.addAll(List.of(now));
    }

    /** Answers a path with this. */
    public void put(String path, Page page) {
        serve(path, question -> page);
    }

    /** Answers a path as it comes. */
    void serve(String path, Function<Question, Page> desk) {
        pages.put(path, desk);
    }

    /** Has its metadata at a path, under a name of the test's choice. */
    public void describe(String path, String name) {
        put(path, Page.json(JSONObjectUtils.toJSONString(Map.of("issuer", name, "jwks_uri", jwks().toString()))));
    }

    /** The paths that were asked for, in order. */
    public List<String> asked() {
        return List.copyOf(asked);
    }

    /** How often its keys were asked for. */
    public long fetches() {
        return asked.stream().filter(JWKS::equals).count();
    }

    /** Takes requests and does not answer them. */
    public void hang() {
        hanging = true;
    }

    /** Answers what has been held, and all that comes. */
    public void answerAgain() {
        hanging = false;
        for (Runnable answer = held.poll(); answer != null; answer = held.poll()) {
            answer.run();
        }
    }

    /** Refuses connections. */
    public void goAway() throws Exception {
        server.stop();
    }

    /** Comes back under the same address. */
    public void comeBack() throws Exception {
        server.start();
    }

    /** The claims of a good token for an audience, issued at a time, for ten minutes. */
    public Map<String, Object> claims(String audience, long nowMillis) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", issuer().toString());
        claims.put("aud", audience);
        claims.put("sub", "alice");
        claims.put("client_id", "agent-7");
        claims.put("scope", "tools:read tools:write");
        claims.put("iat", nowMillis / 1000);
        claims.put("exp", nowMillis / 1000 + 600);
        return claims;
    }

    private void answer(String path, Question question, Response response, Callback callback) {
        Page page =
                pages.getOrDefault(path, asked -> new Page(404, Map.of(), "")).apply(question);
        response.setStatus(page.status());
        page.headers().forEach((name, value) -> response.getHeaders().put(name, value));
        byte[] body = page.body().getBytes(StandardCharsets.UTF_8);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
    }

    private String jwksJson() {
        return JSONObjectUtils.toJSONString(
                Map.of("keys", keys.stream().map(TestKey::jwk).toList()));
    }

    @Override
    public void close() {
        answerAgain();
        LifeCycle.stop(server);
    }
}
