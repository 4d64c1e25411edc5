package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.ApiKey;
import dev.weir.wire.StubUpstream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks HTTP/2 in front of Weir, where a request names its host by {@code :authority} and has no Host field. */
@Timeout(60)
class Http2Test {

    @TempDir
    Path directory;

    private final BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
    private final HTTP2Client client = new HTTP2Client();
    private StubUpstream upstream;
    private Server server;
    private Session session;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream(
                (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}"));
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Settings settings = new SettingsLoader(Map.of(), Map.of(), warning -> {})
                .load(null, Map.of("mcp.data-dir", directory.toString()));
        server = new Server();
        ServerConnector connector =
                new ServerConnector(server, new HTTP2CServerConnectionFactory(new HttpConfiguration()));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        context.getServletContext().setAttribute(WeirListener.SETTINGS, settings);
        Consumer<Jdbi> seed = jdbi -> jdbi.useHandle(handle -> {
            handle.execute("INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', ?)", upstream.base());
            handle.execute("UPDATE tool_tier SET rate_per_second = 0.1, burst = 1, cooldown_seconds = 0"
                    + " WHERE name = 'heavy'");
            handle.execute("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'T1', 'heavy')");
            handle.execute("INSERT INTO client (id, name) VALUES ('c1', 'c1')");
            handle.execute("INSERT INTO client_key (sha256, client) VALUES (?, 'c1')", ApiKey.digest(K1));
        });
        context.getServletContext().setAttribute(WeirListener.SEED, seed);
        context.addEventListener(new WeirListener());
        server.setHandler(context);
        server.start();
        client.start();
        session = client.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()),
                        new Session.Listener() {})
                .get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        client.stop();
        server.stop();
        upstream.close();
    }

    private void send() throws Exception {
        byte[] body = call(1, "T1").getBytes(StandardCharsets.UTF_8);
        HttpFields fields = HttpFields.build()
                .put("Authorization", "Bearer " + K1)
                .put("Content-Type", "application/json")
                .put("Accept", "application/json, text/event-stream");
        MetaData.Request head = new MetaData.Request(
                "POST", HttpURI.from("http://localhost/mcp"), HttpVersion.HTTP_2, fields, body.length);
        Stream stream = session.newStream(new HeadersFrame(head, null, false), new Stream.Listener() {
                    @Override
                    public void onHeaders(Stream answered, HeadersFrame frame) {
                        if (frame.getMetaData() instanceof MetaData.Response response) {
                            statuses.add(response.getStatus());
                        }
                        answered.demand();
                    }

                    @Override
                    public void onDataAvailable(Stream answered) {
                        Stream.Data data = answered.readData();
                        boolean last = data != null && data.frame().isEndStream();
                        if (data != null) {
                            data.release();
                        }
                        if (!last) {
                            answered.demand();
                        }
                    }
                })
                .get(10, TimeUnit.SECONDS);
        stream.data(new DataFrame(stream.getId(), ByteBuffer.wrap(body), true)).get(10, TimeUnit.SECONDS);
    }

    @Test
    void aCallIsServedAndLimitedAsEver() throws Exception {
        send();
        assertThat(statuses.poll(10, TimeUnit.SECONDS)).isEqualTo(200);
        assertThat(upstream.received()).hasSize(1);
        send();
        assertThat(statuses.poll(10, TimeUnit.SECONDS)).isEqualTo(200);
        assertThat(upstream.received()).as("the second was refused").hasSize(1);
    }
}
