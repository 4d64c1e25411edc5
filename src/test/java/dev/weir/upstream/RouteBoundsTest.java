package dev.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a route may use of an upstream, and what it leaves to others. */
class RouteBoundsTest {

    private final CountDownLatch release = new CountDownLatch(1);
    private final JettyUpstreamClient client = JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults());

    @AfterEach
    void close() {
        client.close();
    }

    private static Upstream route(String prefix, URI base, int connectMillis, int connections, int queued) {
        Limits limits = new Limits(
                Duration.ofMillis(connectMillis), Bounds.FIRST_BYTE, Bounds.IDLE, null, connections, queued, 0);
        return new Upstream(prefix, base, limits, Manners.MCP);
    }

    private BlockingQueue<String> send(Upstream upstream, boolean longLived) {
        UpstreamRequest request =
                new UpstreamRequest("GET", upstream.base(), List.of(), ByteBuffer.allocate(0), longLived);
        Said said = new Said();
        client.send(upstream, request, said);
        return said.said;
    }

    private static String next(BlockingQueue<String> said) throws InterruptedException {
        return String.valueOf(said.poll(10, TimeUnit.SECONDS));
    }

    private StubUpstream slow() throws IOException {
        return new StubUpstream((request, line) -> {
            release.await();
            line.json(200, "{}");
        });
    }

    @Test
    void aRouteThatHasUsedUpItsConnectionsAndItsQueueLeavesOthersTheirs() throws Exception {
        try (StubUpstream upstream = slow()) {
            Upstream narrow = route("/narrow", upstream.base(), 3_000, 1, 1);
            BlockingQueue<String> first = send(narrow, false);
            await().until(() -> upstream.received().size() == 1);
            BlockingQueue<String> second = send(narrow, false);
            assertThat(next(send(narrow, false))).contains("nothing sent", "RejectedExecutionException");
            send(route("/other", upstream.base(), 3_000, 1, 1), false);
            await().until(() -> upstream.received().size() == 2);
            send(narrow, true);
            await().untilAsserted(() ->
                    assertThat(upstream.received()).as("what stays open").hasSize(3));
            release.countDown();
            assertThat(next(first)).isEqualTo("complete");
            assertThat(next(second)).isEqualTo("complete");
            assertThat(next(send(narrow, false)))
                    .as("its places are free again")
                    .isEqualTo("complete");
        }
    }

    @Test
    void aBoundThatIsChangedCountsAtOnceAndWhatIsUnderWayGoesOn() throws Exception {
        try (StubUpstream upstream = slow()) {
            BlockingQueue<String> first = send(route("/mcp", upstream.base(), 3_000, 1, 0), false);
            await().until(() -> upstream.received().size() == 1);
            assertThat(next(send(route("/mcp", upstream.base(), 3_000, 1, 0), false)))
                    .contains("nothing sent");
            BlockingQueue<String> second = send(route("/mcp", upstream.base(), 3_000, 2, 0), false);
            await().until(() -> upstream.received().size() == 2);
            release.countDown();
            assertThat(next(first)).isEqualTo("complete");
            assertThat(next(second)).isEqualTo("complete");
        }
    }

    @Test
    void aClientThatNoRouteNeedsIsClosedOnceItsLastCallHasEnded() throws Exception {
        try (StubUpstream upstream = slow()) {
            Upstream kept = route("/kept", upstream.base(), 3_000, 10, 10);
            BlockingQueue<String> answer = send(route("/gone", upstream.base(), 2_000, 10, 10), false);
            send(kept, false);
            await().until(() -> upstream.received().size() == 2);
            assertThat(client.size()).isEqualTo(2);
            client.retain(List.of(kept));
            assertThat(client.size()).as("a call is under way").isEqualTo(2);
            release.countDown();
            assertThat(next(answer)).isEqualTo("complete");
            client.retain(List.of(kept));
            assertThat(client.size()).isEqualTo(1);
            assertThat(next(send(route("/gone", upstream.base(), 2_000, 10, 10), false)))
                    .as("made again on demand")
                    .isEqualTo("complete");
        }
    }

    /** Nobody takes connections off the queue of this socket, and once that is full the next one is not answered. */
    @Test
    void eachRouteHasAConnectTimeoutOfItsOwn() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 5; i++) {
                Socket socket = new Socket();
                waiting.add(socket);
                try {
                    socket.connect(deaf.getLocalSocketAddress(), 50);
                } catch (IOException e) {
                    // Full.
                }
            }
            URI base = URI.create(
                    "http://127.0.0.1:" + ((InetSocketAddress) deaf.getLocalSocketAddress()).getPort() + "/");
            BlockingQueue<String> patient = send(route("/patient", base, 60_000, 10, 10), false);
            long begun = System.nanoTime();
            assertThat(next(send(route("/hasty", base, 300, 10, 10), false))).contains("nothing sent", "Timeout");
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofMillis(250), Duration.ofSeconds(5));
            assertThat(patient).isEmpty();
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    private static final class Said implements UpstreamClient.Answer {

        final BlockingQueue<String> said = new LinkedBlockingQueue<>();

        @Override
        public void onHead(int status, List<Header> headers) {}

        @Override
        public void onContent(ByteBuffer content, Runnable more) {
            more.run();
        }

        @Override
        public void onComplete() {
            said.add("complete");
        }

        @Override
        public void onFailure(Throwable cause) {
            said.add("failed " + cause);
        }

        @Override
        public void onNothingSent(Throwable cause) {
            said.add("nothing sent " + cause);
        }
    }
}
