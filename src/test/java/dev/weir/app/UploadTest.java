package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.web.RequestLog;
import dev.weir.wire.BareServer;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of any size on their way to an upstream of kind http, byte by byte. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UploadTest {

    private static final int MIB = 1 << 20;
    /** Says that it hangs up afterwards, so that no later request is sent on a connection that is just being closed. */
    private static final String OK = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";

    private final BlockingQueue<Socket> arrived = new LinkedBlockingQueue<>();
    private BareServer upstream;
    private RunningWeir weir;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        upstream = new BareServer(arrived::add);
        weir = RunningWeir.startWith(
                List.of(
                        "INSERT INTO route (prefix, kind, upstream_url) VALUES ('/up', 'http', '" + upstream.url()
                                + "')",
                        "INSERT INTO route (prefix, kind, upstream_url, max_body_bytes) VALUES ('/small', 'http', '"
                                + upstream.url() + "', 100000)",
                        "INSERT INTO route (prefix, kind, upstream_url, idle_timeout_ms, first_byte_timeout_ms)"
                                + " VALUES ('/hasty', 'http', '" + upstream.url() + "', 2000, 1000)",
                        "INSERT INTO route (prefix, kind, upstream_url, breaker_failures) VALUES ('/shut', 'http', '"
                                + upstream.url() + "', 1)",
                        "INSERT INTO route (prefix, kind, upstream_url, total_timeout_ms) VALUES ('/brief', 'http', '"
                                + upstream.url() + "', 2500)"),
                directory,
                upstream.url());
    }

    @AfterEach
    void hangUp() throws IOException {
        for (Socket socket = arrived.poll(); socket != null; socket = arrived.poll()) {
            socket.close();
        }
    }

    @AfterAll
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static String head(String target, String... headers) {
        return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    private Socket upstreamSide() throws Exception {
        Socket socket = arrived.poll(10, TimeUnit.SECONDS);
        assertThat(socket).as("a connection to the upstream").isNotNull();
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + i / 255);
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16 * 1024, 16 * 1024 + 1, 3 * MIB + 7})
    void aBodyWithALengthArrivesWithItByteForByte(int length) throws Exception {
        byte[] body = pattern(length);
        try (Wire client = weir.wire()) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    client.send(head("/up", "Content-Length: " + length + "\r\n"));
                    client.send(body);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            Socket socket = upstreamSide();
            InputStream in = socket.getInputStream();
            List<String> head = Wire.readHead(in);
            assertThat(head)
                    .contains("Content-Length: " + length)
                    .noneMatch(line -> line.startsWith("Transfer-Encoding"));
            assertThat(in.readNBytes(length)).isEqualTo(body);
            sending.join();
            socket.getOutputStream().write(OK.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.answer().body()).isEqualTo("ok");
            socket.close();
        }
    }

    @Test
    void aBodyInChunksArrivesInChunksAsItComes() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/up", "Transfer-Encoding: chunked\r\n") + "5\r\nfirst\r\n");
            Socket socket = upstreamSide();
            InputStream in = socket.getInputStream();
            assertThat(Wire.readHead(in))
                    .contains("Transfer-Encoding: chunked")
                    .noneMatch(line -> line.startsWith("Content-Length"));
            assertThat(new String(in.readNBytes(8), StandardCharsets.US_ASCII))
                    .as("the first piece, before the second was sent")
                    .isEqualTo("5\r\nfirst");
            client.send("6\r\nsecond\r\n0\r\n\r\n");
            assertThat(new String(in.readNBytes(18), StandardCharsets.US_ASCII))
                    .isEqualTo("\r\n6\r\nsecond\r\n0\r\n\r\n");
            socket.getOutputStream().write(OK.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.answer().body()).isEqualTo("ok");
            socket.close();
        }
    }

    /** An upstream that does not read stops the client: what lies in between is bounded. */
    @Test
    void anUpstreamThatDoesNotReadStopsTheClientAndNothingIsPiledUp() throws Exception {
        long length = 64L * MIB;
        AtomicLong sent = new AtomicLong();
        try (Wire client = weir.wire()) {
            client.send(head("/up", "Content-Length: " + length + "\r\n"));
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                byte[] piece = pattern(64 * 1024);
                try {
                    while (sent.get() < length) {
                        client.send(piece);
                        sent.addAndGet(piece.length);
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            Socket socket = upstreamSide();
            await().pollInterval(Duration.ofMillis(300)).until(new Settled(sent::get)::isSo);
            assertThat(sent.get())
                    .as("what all socket buffers hold, and no more")
                    .isLessThan(32L * MIB);
            InputStream in = socket.getInputStream();
            Wire.readHead(in);
            in.skipNBytes(length);
            sending.join();
            socket.getOutputStream().write(OK.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.answer().body()).isEqualTo("ok");
            socket.close();
        }
    }

    /** Whether a number stays what it was. */
    private static final class Settled {

        private final java.util.function.LongSupplier number;
        private long before = -1;

        Settled(java.util.function.LongSupplier number) {
            this.number = number;
        }

        boolean isSo() {
            long now = number.getAsLong();
            boolean settled = now == before && now > 0;
            before = now;
            return settled;
        }
    }

    @Test
    void theAnswerComesWhileTheBodyIsStillOnItsWay() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/up", "Transfer-Encoding: chunked\r\n") + "3\r\none\r\n");
            Socket socket = upstreamSide();
            InputStream in = socket.getInputStream();
            Wire.readHead(in);
            in.readNBytes("3\r\none".length());
            socket.getOutputStream()
                    .write(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nONE\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            Wire.Head answer = client.head();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(client.textChunk()).isEqualTo("ONE\n");
            client.send("3\r\ntwo\r\n");
            assertThat(new String(in.readNBytes(8), StandardCharsets.US_ASCII)).isEqualTo("\r\n3\r\ntwo");
            socket.getOutputStream().write("4\r\nTWO\n\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.textChunk()).isEqualTo("TWO\n");
            client.send("5\r\nthree\r\n0\r\n\r\n");
            assertThat(new String(in.readNBytes(17), StandardCharsets.US_ASCII))
                    .as("an upstream that said yes early still gets the whole body")
                    .isEqualTo("\r\n5\r\nthree\r\n0\r\n\r\n");
            assertThat(client.chunk()).isEmpty();
            socket.close();
        }
    }

    /** Case O31: an upstream that refuses before the body is read; its answer reaches the client in the middle of sending. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 50000000", "Transfer-Encoding: chunked"})
    void anEarlyRefusalOfTheUpstreamReachesTheClientThatStillSends(String framing) throws Exception {
        try (Wire client = weir.wire()) {
            String piece = framing.startsWith("T") ? "3e8\r\n" + "x".repeat(1000) + "\r\n" : "x".repeat(1000);
            client.send(head("/up", framing + "\r\n") + piece);
            Socket socket = upstreamSide();
            Wire.readHead(socket.getInputStream());
            socket.getOutputStream()
                    .write("HTTP/1.1 413 X\r\nContent-Length: 3\r\n\r\nbig".getBytes(StandardCharsets.US_ASCII));
            for (int n = 0; n < 3000; n++) {
                client.send(piece);
            }
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.body()).contains("backend_error");
            assertThat(answer.head().values("Connection")).containsExactly("close");
            assertThat(isBroken(socket.getInputStream())).isTrue();
            socket.close();
        }
        await().untilAsserted(() -> assertThat(weir.probe("/health")).contains("200"));
    }

    /** Whether the other side closes without the end of a chunked or counted body; reads all there is. */
    private static boolean isBroken(InputStream in) throws IOException {
        StringBuilder tail = new StringBuilder();
        try {
            byte[] bytes = new byte[64 * 1024];
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                tail.append(new String(bytes, 0, n, StandardCharsets.ISO_8859_1));
                tail.delete(0, Math.max(0, tail.length() - 5));
            }
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            // Reset.
        }
        return !tail.toString().equals("0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 1000", "Transfer-Encoding: chunked"})
    void aClientThatBreaksOffMakesTheUpstreamSeeABrokenRequest(String framing) throws Exception {
        try (LogLines log = new LogLines(RequestLog.class)) {
            Wire client = weir.wire();
            String id = "broken-" + framing.length();
            client.send(head("/up", framing + "\r\nX-Request-ID: " + id + "\r\n")
                    + (framing.startsWith("T") ? "4\r\nhalf\r\n" : "half"));
            Socket socket = upstreamSide();
            InputStream in = socket.getInputStream();
            Wire.readHead(in);
            assertThat(in.readNBytes(4)).hasSize(4);
            client.leave();
            assertThat(isBroken(in)).isTrue();
            socket.close();
            await().untilAsserted(() -> assertThat(log.of("request_error", id)).hasSize(1));
            assertThat(LogLines.field(log.of("request_error", id).get(0), "failure"))
                    .contains("broke its body off");
        }
    }

    @Test
    void aBodyThatIsAnnouncedAsTooLargeIsRefusedAtOnceAndGoesNowhere() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/small", "Content-Length: 100001\r\n"));
            Wire.Head head = client.head();
            assertThat(head.status()).isEqualTo(413);
            client.send("x".repeat(100_001));
            assertThat(client.body(head)).contains("body_too_large");
        }
        assertThat(arrived).isEmpty();
    }

    @Test
    void aBodyThatTurnsOutTooLargeIsRefusedAndTheUpstreamSeesABrokenRequest() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/small", "Transfer-Encoding: chunked\r\n"));
            String chunk = "3e8\r\n" + "x".repeat(1000) + "\r\n";
            client.send(chunk.repeat(200));
            Socket socket = upstreamSide();
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.body()).contains("body_too_large");
            assertThat(isBroken(socket.getInputStream())).isTrue();
            socket.close();
        }
    }

    @Test
    void aBodyOfExactlyTheLargestSizePasses() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/small", "Content-Length: 100000\r\n") + "x".repeat(100_000));
            Socket socket = upstreamSide();
            Wire.readHead(socket.getInputStream());
            socket.getInputStream().skipNBytes(100_000);
            socket.getOutputStream().write(OK.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.answer().body()).isEqualTo("ok");
            socket.close();
        }
    }

    @Test
    void aClientThatStopsSendingIsToldAfterTheIdleLimit() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/hasty", "Content-Length: 1000\r\n") + "half");
            Socket socket = upstreamSide();
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(408);
            assertThat(answer.body()).contains("body_too_slow");
            assertThat(isBroken(socket.getInputStream())).isTrue();
            socket.close();
        }
    }

    /** The head of the answer is waited for from the end of the upload on, however long that took. */
    @Test
    void aSlowUploadTakesNothingFromTheTimeForTheAnswer() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/hasty", "Content-Length: 5\r\n"));
            long start = System.nanoTime();
            for (char c : "slow!".toCharArray()) {
                client.send(String.valueOf(c));
                TimeUnit.MILLISECONDS.sleep(300);
            }
            Socket socket = upstreamSide();
            Wire.readHead(socket.getInputStream());
            assertThat(socket.getInputStream().readNBytes(5)).hasSize(5);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(504);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1200 + 1000));
            socket.close();
        }
    }

    @Test
    void anExchangeEndsAfterTheTotalLimitUnlessItIsAStreamOfEvents() throws Exception {
        try (Wire client = weir.wire();
                Wire watcher = weir.wire()) {
            client.send("GET /brief HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n\r\n");
            Socket slow = upstreamSide();
            // Only now is it certain which of two connections the request is on.
            Wire.readHead(slow.getInputStream());
            watcher.send("GET /brief HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n\r\n");
            Socket stream = upstreamSide();
            Wire.readHead(stream.getInputStream());
            stream.getOutputStream()
                    .write(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nONE\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            watcher.head();
            assertThat(watcher.textChunk()).isEqualTo("ONE\n");
            assertThat(client.answer().status()).isEqualTo(504);
            stream.getOutputStream().write("4\r\nTWO\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(watcher.textChunk()).isEqualTo("TWO\n");
            slow.close();
            stream.close();
        }
    }

    /** Case O31: a refusal because of an open circuit reaches a client that sends without looking up. */
    @Test
    void anUploadToAnOpenCircuitReadsItsRefusal() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/shut", "Content-Length: 2\r\n") + "{}");
            try (Socket socket = upstreamSide()) {
                // A connection that was closed before anything is sent on it would only be replaced by another one.
                Wire.readHead(socket.getInputStream());
            }
            assertThat(client.answer().status()).isEqualTo(502);
        }
        try (Wire client = weir.wire()) {
            client.send(head("/shut", "Content-Length: 10000000\r\n"));
            for (int n = 0; n < 100; n++) {
                client.send(new byte[100_000]);
            }
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body()).contains("circuit_open");
            assertThat(answer.head().values("Retry-After")).hasSize(1);
        }
        assertThat(arrived).isEmpty();
    }

    /** Case O39: a request that may have run is never sent again. */
    @Test
    void anUpstreamThatReadsTheBodyAndHangsUpIsCalledOnce() throws Exception {
        try (Wire client = weir.wire()) {
            client.send(head("/up", "Transfer-Encoding: chunked\r\n") + "4\r\nbody\r\n0\r\n\r\n");
            Socket socket = upstreamSide();
            Wire.readHead(socket.getInputStream());
            assertThat(Wire.readChunks(socket.getInputStream())).hasSize(4);
            socket.close();
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).contains("backend_unavailable");
        }
        assertThat(arrived).isEmpty();
    }
}
