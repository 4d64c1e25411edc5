package dev.weir.bench.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The server behind Weir: a GET opens a stream that is silent until {@link #tell}, or, where its path ends in {@code fast}, one that
 * never stops; a POST is answered at once.
 */
final class Upstream implements AutoCloseable {

    private static final byte[] STREAM = head("text/event-stream", "Transfer-Encoding: chunked");
    private static final byte[] ANSWER = ascii("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}");
    private static final byte[] EVENT = chunk("data: " + "x".repeat(8_184) + "\n\n");

    private final Loop loop = new Loop("upstream");
    private final ServerSocketChannel listening = ServerSocketChannel.open();
    private final Set<Connection> streams = ConcurrentHashMap.newKeySet();
    private final AtomicLong sent = new AtomicLong();

    Upstream() throws IOException {
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8_192);
        loop.register(listening, SelectionKey.OP_ACCEPT, key -> {
            for (SocketChannel socket = listening.accept(); socket != null; socket = listening.accept()) {
                socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
                loop.register(socket, SelectionKey.OP_READ, new Connection());
            }
        });
    }

    int port() throws IOException {
        return ((InetSocketAddress) listening.getLocalAddress()).getPort();
    }

    /** How many streams are open. */
    int streams() {
        return streams.size();
    }

    /** How many bytes have been written to streams that never stop. */
    long sent() {
        return sent.get();
    }

    /** Sends one event with the time of its sending to every stream. */
    void tell() {
        loop.run(() -> streams.forEach(Connection::tell));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] head(String type, String framing) {
        return ascii("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n" + framing + "\r\n\r\n");
    }

    private static byte[] chunk(String text) {
        return ascii(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
    }

    @Override
    public void close() throws IOException {
        loop.close();
        listening.close();
    }

    private final class Connection implements Loop.Party {

        private final ByteBuffer in = ByteBuffer.allocate(4_096);
        private @org.jspecify.annotations.Nullable SocketChannel socket;
        private ByteBuffer out = ByteBuffer.allocate(0);
        private boolean endless;

        @Override
        public void ready(SelectionKey key) throws IOException {
            socket = (SocketChannel) key.channel();
            if (key.isReadable()) {
                int read = socket.read(in);
                if (read < 0) {
                    streams.remove(this);
                    throw new IOException("closed");
                }
                answer(key);
            }
            if (key.isValid() && key.isWritable()) {
                pour();
            }
        }

        private void answer(SelectionKey key) throws IOException {
            String request = new String(in.array(), 0, in.position(), StandardCharsets.US_ASCII);
            int head = request.indexOf("\r\n\r\n");
            if (head < 0) {
                return;
            }
            if (request.startsWith("GET")) {
                in.clear();
                write(STREAM);
                streams.add(this);
                endless = request.substring(0, request.indexOf('\r')).contains("/fast");
                key.interestOps(endless ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
                return;
            }
            int length = Integer.parseInt(request.replaceAll("(?is).*\r\ncontent-length: *(\\d+)\r\n.*", "$1"));
            if (in.position() >= head + 4 + length) {
                in.clear();
                write(head("application/json", "Content-Length: " + ANSWER.length));
                write(ANSWER);
            }
        }

        /** Writes as much as there is room for. */
        private void pour() throws IOException {
            if (!out.hasRemaining()) {
                out = ByteBuffer.wrap(EVENT);
            }
            sent.addAndGet(java.util.Objects.requireNonNull(socket).write(out));
        }

        private void tell() {
            try {
                if (!endless) {
                    write(chunk("data: " + System.nanoTime() + "\n\n"));
                }
            } catch (IOException e) {
                streams.remove(this);
            }
        }

        private void write(byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                java.util.Objects.requireNonNull(socket).write(buffer);
            }
        }
    }
}
