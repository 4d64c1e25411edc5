package dev.weir.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** An upstream made of a bare socket, so that a test sees and says every byte. */
public final class StubUpstream implements AutoCloseable {

    /** Answers one request; when it returns, the next request on the connection is read, unless it was closed. */
    public interface Behaviour {
        void answer(Received request, Line line) throws Exception;
    }

    /** One request as it came: its head, line by line, and its body. */
    public record Received(List<String> head, String body) {

        public String requestLine() {
            return head.get(0);
        }

        public List<String> values(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            return head.stream()
                    .skip(1)
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length()).strip())
                    .toList();
        }
    }

    /** The connection on which an answer is given. */
    public static final class Line {

        private final Socket socket;

        public Line(Socket socket) {
            this.socket = socket;
        }

        public void send(String text) throws IOException {
            send(text.getBytes(StandardCharsets.UTF_8));
        }

        public void send(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        /** One chunk of a chunked body. */
        public void chunk(String text) throws IOException {
            int length = text.getBytes(StandardCharsets.UTF_8).length;
            send(Integer.toHexString(length) + "\r\n" + text + "\r\n");
        }

        public void json(int status, String body) throws IOException {
            send("HTTP/1.1 " + status + " X\r\nContent-Type: application/json\r\nContent-Length: "
                    + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
        }

        /** The head of a chunked answer. */
        public void head(String type) throws IOException {
            send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        }

        public void hangUp() throws IOException {
            socket.close();
        }

        /** Waits until the other side has closed; says whether it did so within ten seconds. */
        public boolean isLeft() throws IOException {
            return isLeft(10_000);
        }

        /** The same within so many milliseconds. */
        public boolean isLeft(int millis) throws IOException {
            socket.setSoTimeout(millis);
            try {
                return socket.getInputStream().read() < 0;
            } catch (java.net.SocketTimeoutException e) {
                return false;
            } catch (IOException e) {
                return true;
            }
        }
    }

    private final ServerSocket listening;
    private final String scheme;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Received> received = new ConcurrentLinkedQueue<>();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final Behaviour behaviour;

    public StubUpstream(Behaviour behaviour) throws IOException {
        this(new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), "http", behaviour);
    }

    /** One that speaks TLS only. */
    public StubUpstream(SSLContext tls, boolean asksForCertificate, Behaviour behaviour) throws IOException {
        this(listening(tls, asksForCertificate), "https", behaviour);
    }

    /** Settled before the first accept, which already has the settings of the connection that it waits for. */
    private static ServerSocket listening(SSLContext tls, boolean asksForCertificate) throws IOException {
        SSLServerSocket socket = (SSLServerSocket)
                tls.getServerSocketFactory().createServerSocket(0, 200, InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(asksForCertificate);
        return socket;
    }

    private StubUpstream(ServerSocket listening, String scheme, Behaviour behaviour) {
        this.listening = listening;
        this.scheme = scheme;
        this.behaviour = behaviour;
        threads.execute(this::accept);
    }

    public URI base() {
        return URI.create(scheme + "://127.0.0.1:" + listening.getLocalPort() + "/mcp");
    }

    public List<Received> received() {
        return List.copyOf(received);
    }

    /** Forgets what it has received. */
    public void forget() {
        received.clear();
    }

    public int connections() {
        return connections.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                connections.incrementAndGet();
                sockets.add(socket);
                threads.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (!socket.isClosed()) {
                List<String> head = Wire.readHead(in);
                if (head.isEmpty()) {
                    return;
                }
                Received request = new Received(head, "");
                int length = request.values("Content-Length").stream()
                        .mapToInt(Integer::parseInt)
                        .sum();
                boolean chunked = request.values("Transfer-Encoding").contains("chunked");
                byte[] body = chunked ? Wire.readChunks(in) : in.readNBytes(length);
                request = new Received(head, new String(body, StandardCharsets.UTF_8));
                received.add(request);
                behaviour.answer(request, new Line(socket));
            }
        } catch (Exception e) {
            // The gateway left, or the test is over.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
