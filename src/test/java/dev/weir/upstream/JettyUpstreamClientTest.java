package dev.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class JettyUpstreamClientTest {

    private static final String TWO_CHUNKS = """
            HTTP/1.1 200 OK
            Transfer-Encoding: chunked

            1
            a
            1
            b
            0

            """;

    /** Several times, because it takes the same buffer from the pool, were there one, by luck. */
    @RepeatedTest(5)
    void anAnswerThatFailsLeavesTheBytesOfAnotherAlone() throws Exception {
        CountDownLatch headSeen = new CountDownLatch(1);
        CountDownLatch hungUp = new CountDownLatch(1);
        try (StubUpstream dying = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    headSeen.await();
                    line.chunk("last words");
                    line.hangUp();
                    hungUp.countDown();
                });
                StubUpstream living = new StubUpstream((request, line) -> line.send(TWO_CHUNKS.replace("\n", "\r\n")));
                JettyUpstreamClient client = JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults())) {
            Recorder whole = new Recorder();
            Recorder broken = new Recorder() {
                @Override
                public void onHead(int status, List<Header> headers) {
                    // The thread that announces the head is kept here until the end of the answer has arrived too.
                    headSeen.countDown();
                    await(hungUp);
                }

                @Override
                public void onContent(ByteBuffer content, Runnable more) {
                    super.onContent(content, more);
                    more.run();
                }

                @Override
                public void onFailure(Throwable cause) {
                    // That thread has not left yet, and another answer comes in and is half read.
                    client.send(to(living.base()), get(living.base()), whole);
                    await(whole.begun);
                    super.onFailure(cause);
                }
            };
            client.send(to(dying.base()), get(dying.base()), broken);
            assertThat(broken.next()).isEqualTo("last words");
            assertThat(broken.next()).isEqualTo("failed");
            assertThat(whole.next()).isEqualTo("a");
            whole.more.take().run();
            assertThat(whole.next()).isEqualTo("b");
            whole.more.take().run();
            assertThat(whole.next()).isEqualTo("complete");
        }
    }

    @Test
    void theNextPieceIsNotReadBeforeItIsAskedFor() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/plain");
                    line.chunk("one");
                    line.chunk("two");
                    line.send("0\r\n\r\n");
                });
                JettyUpstreamClient client = JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults())) {
            Recorder answer = new Recorder();
            client.send(to(upstream.base()), get(upstream.base()), answer);
            assertThat(answer.next()).isEqualTo("one");
            assertThat(answer.said.poll(200, TimeUnit.MILLISECONDS)).isNull();
            answer.more.take().run();
            assertThat(answer.next()).isEqualTo("two");
            answer.more.take().run();
            assertThat(answer.next()).isEqualTo("complete");
        }
    }

    @Test
    void anAbortedCallFailsAndItsLastPieceCanStillBeGivenBack() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/plain");
                    line.chunk("one");
                    if (line.isLeft()) {
                        left.countDown();
                    }
                });
                JettyUpstreamClient client = JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults())) {
            Recorder answer = new Recorder();
            UpstreamClient.Call call = client.send(to(upstream.base()), get(upstream.base()), answer);
            assertThat(answer.next()).isEqualTo("one");
            call.abort(new IllegalStateException("enough"));
            assertThat(answer.next()).isEqualTo("failed");
            answer.more.take().run();
            await(left);
            call.abort(new IllegalStateException("again"));
            assertThat(answer.said).isEmpty();
        }
    }

    private static Upstream to(URI base) {
        return new Upstream("/mcp", base, Bounds.limits(Bounds.FIRST_BYTE, Bounds.IDLE), Manners.MCP);
    }

    private static UpstreamRequest get(URI target) {
        return new UpstreamRequest("GET", target, List.of(), ByteBuffer.allocate(0), false);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static class Recorder implements UpstreamClient.Answer {

        final BlockingQueue<String> said = new LinkedBlockingQueue<>();
        final BlockingQueue<Runnable> more = new LinkedBlockingQueue<>();
        final CountDownLatch begun = new CountDownLatch(1);

        String next() throws InterruptedException {
            return said.poll(10, TimeUnit.SECONDS);
        }

        @Override
        public void onHead(int status, List<Header> headers) {}

        @Override
        public void onContent(ByteBuffer content, Runnable next) {
            said.add(StandardCharsets.UTF_8.decode(content.duplicate()).toString());
            more.add(next);
            begun.countDown();
        }

        @Override
        public void onComplete() {
            said.add("complete");
        }

        @Override
        public void onFailure(Throwable cause) {
            said.add("failed");
        }
    }
}
