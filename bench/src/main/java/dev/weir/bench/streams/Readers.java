package dev.weir.bench.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Clients that each hold one stream open and take the time of the events in it. */
final class Readers implements AutoCloseable {

    private static final Pattern TOLD = Pattern.compile("data: (\\d{6,})\n");

    private final Loop loop = new Loop("clients");
    private final List<SocketChannel> sockets = new ArrayList<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final Queue<Long> latencies = new ConcurrentLinkedQueue<>();

    Readers() throws IOException {}

    /** Opens one stream. */
    void open(int port, String path) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.write(ByteBuffer.wrap(request(path)));
        sockets.add(socket);
        loop.register(socket, SelectionKey.OP_READ, new Reader());
    }

    /** Opens one stream that nobody reads but who takes the socket. */
    static SocketChannel unread(int port, String path) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_RCVBUF, 16 * 1024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.write(ByteBuffer.wrap(request(path)));
        return socket;
    }

    private static byte[] request(String path) {
        return ("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** How many have the head of their answer. */
    int begun() {
        return begun.get();
    }

    /** How many were closed by the other side. */
    int closed() {
        return closed.get();
    }

    /** Milliseconds from the sending of an event to its arrival here, of all events so far. */
    List<Double> latencies() {
        return latencies.stream().map(nanos -> nanos / 1e6).sorted().toList();
    }

    /** Goes away from all streams at once. */
    void leave() throws IOException {
        for (SocketChannel socket : sockets) {
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        leave();
        loop.close();
    }

    private final class Reader implements Loop.Party {

        private final ByteBuffer in = ByteBuffer.allocate(2_048);
        private boolean hasHead;

        @Override
        public void ready(SelectionKey key) throws IOException {
            in.clear();
            int read = ((SocketChannel) key.channel()).read(in);
            if (read < 0) {
                closed.incrementAndGet();
                throw new IOException("closed");
            }
            String text = new String(in.array(), 0, in.position(), StandardCharsets.US_ASCII);
            if (!hasHead && text.startsWith("HTTP/1.1 200")) {
                hasHead = true;
                begun.incrementAndGet();
            }
            Matcher told = TOLD.matcher(text);
            if (told.find()) {
                latencies.add(System.nanoTime() - Long.parseLong(told.group(1)));
            }
        }
    }
}
