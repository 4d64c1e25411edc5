package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.Role;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams of events in a real server that has hardly any threads. */
@Timeout(60)
class EventStreamTest {

    private static final int SLOW_READERS = 12;
    private static final String BIG = "x".repeat(400_000);

    private final BlockingQueue<EventStream> streams = new LinkedBlockingQueue<>();
    private final AtomicInteger ended = new AtomicInteger();
    private final List<Wire> wires = new ArrayList<>();
    private Server server;

    @BeforeEach
    void start() throws Exception {
        // One accepts, one selects, and so there are a few for all the rest.
        server = new Server(new QueuedThreadPool(8, 1));
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        Operation operation = new Operation(
                "GET",
                "/events",
                Role.VIEWER,
                "events",
                "Tells.",
                List.of(),
                null,
                null,
                ask -> Answer.events(this::take));
        RestServlet servlet = new RestServlet(
                new Operations(List.of(operation)),
                (request, response, changes) -> Operator.byToken("test", Role.ADMIN, () -> true),
                Runnable::run,
                failure -> null);
        ServletContextHandler context = new ServletContextHandler();
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        server.setHandler(context);
        server.start();
    }

    private void take(EventStream stream) {
        stream.onEnd(ended::incrementAndGet);
        stream.send("first", "hello");
        streams.add(stream);
    }

    @AfterEach
    void stop() throws Exception {
        for (Wire wire : wires) {
            wire.close();
        }
        server.stop();
    }

    private Wire open() throws IOException {
        Wire wire = new Wire(server.getURI().getPort(), 4_096);
        wires.add(wire);
        wire.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        return wire;
    }

    private EventStream next() throws InterruptedException {
        EventStream stream = streams.poll(20, TimeUnit.SECONDS);
        assertThat(stream).isNotNull();
        return stream;
    }

    private static String event(Wire wire, StringBuilder read) throws IOException {
        while (read.indexOf("\n\n") < 0) {
            read.append(new String(wire.chunk(), StandardCharsets.UTF_8));
        }
        int end = read.indexOf("\n\n");
        String event = read.substring(0, end);
        read.delete(0, end + 2);
        return event;
    }

    @Test
    void whoeverReadsNothingCostsNoThreadAndHoldsUpNobody() throws Exception {
        List<EventStream> slow = new ArrayList<>();
        for (int i = 0; i < SLOW_READERS; i++) {
            open();
            slow.add(next());
        }
        for (int i = 0; i < 20; i++) {
            EventStream.Event event = EventStream.event("live", i + BIG);
            slow.forEach(stream -> stream.send(event));
        }
        Wire quick = open();
        EventStream stream = next();
        assertThat(quick.head().status()).isEqualTo(200);
        StringBuilder read = new StringBuilder();
        assertThat(event(quick, read)).isEqualTo("event: first\ndata: \"hello\"");
        stream.send("live", "now");
        assertThat(event(quick, read)).isEqualTo("event: live\ndata: \"now\"");
    }

    @Test
    void whoeverWasSlowGetsTheLatestOfEachKindAndNoHalfOfAny() throws Exception {
        Wire wire = open();
        EventStream stream = next();
        int last = 60;
        for (int i = 0; i <= last; i++) {
            stream.send("live", i + BIG);
        }
        stream.send("other", "kept");
        stream.end();
        assertThat(wire.head().status()).isEqualTo(200);
        String all = wire.body(new Wire.Head(List.of("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")));
        assertThat(all).startsWith("event: first\n").endsWith("event: other\ndata: \"kept\"\n\n");
        List<String> events = List.of(all.split("\n\n"));
        assertThat(events).hasSizeLessThan(last);
        assertThat(events.get(events.size() - 2)).isEqualTo("event: live\ndata: \"" + last + BIG + "\"");
        await().until(() -> ended.get() == 1);
    }

    @Test
    void aReaderThatLeavesEndsItsStream() throws Exception {
        Wire wire = open();
        EventStream stream = next();
        assertThat(wire.head().status()).isEqualTo(200);
        wire.close();
        await().until(() -> {
            stream.send("live", BIG);
            return ended.get() == 1;
        });
        AtomicInteger late = new AtomicInteger();
        stream.onEnd(late::incrementAndGet);
        assertThat(late).hasValue(1);
    }
}
