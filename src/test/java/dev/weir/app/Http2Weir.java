package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;

import dev.weir.auth.ApiKey;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsLoader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.jdbi.v3.core.Jdbi;

/** A whole Weir in a server that speaks HTTP/2 only, and one connection to it. The route and the tool are those of RunningWeir. */
final class Http2Weir {

    private final Server server = new Server();
    private final HTTP2Client client = new HTTP2Client();
    private final Session session;

    private Http2Weir(Path dataDir, Object upstream, List<String> edits) throws Exception {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Settings settings = new SettingsLoader(Map.of(), Map.of(), warning -> {})
                .load(null, Map.of("mcp.data-dir", dataDir.toString()));
        ServerConnector connector =
                new ServerConnector(server, new HTTP2CServerConnectionFactory(new HttpConfiguration()));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        context.getServletContext().setAttribute(WeirListener.SETTINGS, settings);
        Consumer<Jdbi> seed = jdbi -> jdbi.useHandle(handle -> {
            handle.execute("INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', ?)", upstream.toString());
            handle.execute("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'T1', 'heavy')");
            handle.execute("INSERT INTO client (id, name) VALUES ('c1', 'c1')");
            handle.execute("INSERT INTO client_key (sha256, client) VALUES (?, 'c1')", ApiKey.digest(K1));
            edits.forEach(handle::execute);
        });
        context.getServletContext().setAttribute(WeirListener.SEED, seed);
        context.addEventListener(new WeirListener());
        server.setHandler(context);
        server.start();
        client.start();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort());
        session = client.connect(address, new Session.Listener() {}).get(10, TimeUnit.SECONDS);
    }

    static Http2Weir start(Path dataDir, Object upstream, String... edits) throws Exception {
        return new Http2Weir(dataDir, upstream, List.of(edits));
    }

    /** One call on a stream of its own. */
    static final class Call implements Stream.Listener {

        private final CompletableFuture<String> answer = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();
        private final Stream stream;
        private volatile boolean begun;

        private Call(Session session, HeadersFrame head) throws Exception {
            stream = session.newStream(head, this).get(10, TimeUnit.SECONDS);
        }

        /** The body, once it is whole. */
        String answer() throws Exception {
            return answer.get(10, TimeUnit.SECONDS);
        }

        /** Whether a part of the body is here. */
        boolean hasBegun() {
            return begun;
        }

        boolean isAnswered() {
            return answer.isDone();
        }

        /** Leaves: resets the stream, and leaves the connection alone. */
        void leave() {
            stream.reset(new ResetFrame(stream.getId(), ErrorCode.CANCEL_STREAM_ERROR.code), Callback.NOOP);
        }

        @Override
        public void onHeaders(Stream answered, HeadersFrame frame) {
            answered.demand();
        }

        @Override
        public void onDataAvailable(Stream answered) {
            Stream.Data data = answered.readData();
            if (data == null) {
                answered.demand();
                return;
            }
            text.append(StandardCharsets.UTF_8.decode(data.frame().getByteBuffer()));
            begun = true;
            boolean last = data.frame().isEndStream();
            data.release();
            if (last) {
                answer.complete(text.toString());
            } else {
                answered.demand();
            }
        }
    }

    /** Calls T1 as {@code c1}. */
    Call send() throws Exception {
        byte[] body = call(1, "T1").getBytes(StandardCharsets.UTF_8);
        HttpFields fields = HttpFields.build()
                .put("Authorization", "Bearer " + K1)
                .put("Content-Type", "application/json")
                .put("Accept", "application/json, text/event-stream");
        MetaData.Request head = new MetaData.Request(
                "POST", HttpURI.from("http://localhost/mcp"), HttpVersion.HTTP_2, fields, body.length);
        Call sent = new Call(session, new HeadersFrame(head, null, false));
        DataFrame data = new DataFrame(sent.stream.getId(), ByteBuffer.wrap(body), true);
        var unused = sent.stream.data(data).get(10, TimeUnit.SECONDS);
        return sent;
    }

    void stop() throws Exception {
        client.stop();
        server.stop();
    }
}
