package dev.weir.wire;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A client made of a bare socket, so that a test sees whether an answer is whole, and when each piece of it came. */
public final class Wire implements AutoCloseable {

    /** The head of an answer, line by line. */
    public record Head(List<String> lines) {

        public int status() {
            return Integer.parseInt(lines.get(0).split(" ", 3)[1]);
        }

        public List<String> values(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            return lines.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length()).strip())
                    .toList();
        }

        public boolean isChunked() {
            return values("Transfer-Encoding").contains("chunked");
        }
    }

    /** A whole answer. */
    public record Answer(Head head, String body) {

        public int status() {
            return head.status();
        }
    }

    private final Socket socket = new Socket();
    private final InputStream in;
    private boolean inChunks;

    public Wire(int port) throws IOException {
        this(port, 64 * 1024);
    }

    public Wire(int port, int receiveBuffer) throws IOException {
        socket.setReceiveBufferSize(receiveBuffer);
        socket.setSoTimeout(10_000);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        in = new BufferedInputStream(socket.getInputStream());
    }

    public void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Whether nothing more comes and the other side has closed. */
    public boolean isOver() throws IOException {
        return in.read() < 0;
    }

    /** A POST to the route; each header ends with CR LF. */
    public void post(String body, String... headers) throws IOException {
        send("POST /mcp HTTP/1.1\r\nHost: front.example\r\nContent-Type: application/json\r\n"
                + String.join("", headers) + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body);
    }

    public void request(String method, String target, String... headers) throws IOException {
        send(method + " " + target + " HTTP/1.1\r\nHost: front.example\r\n" + String.join("", headers) + "\r\n");
    }

    public Head head() throws IOException {
        return new Head(readHead(in));
    }

    public Answer answer() throws IOException {
        Head head = head();
        return new Answer(head, body(head));
    }

    /** The rest of an answer; fails if it is not whole. */
    public String body(Head head) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (head.isChunked()) {
            for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) {
                body.write(chunk);
            }
        } else {
            for (String length : head.values("Content-Length")) {
                body.write(exactly(Integer.parseInt(length)));
            }
        }
        return body.toString(StandardCharsets.UTF_8);
    }

    /** The next chunk of a chunked body; empty for the last. */
    public byte[] chunk() throws IOException {
        if (inChunks) {
            // A server may send the end of a chunk together with the next one.
            readLine(in);
        }
        byte[] chunk = exactly(Integer.parseInt(readLine(in), 16));
        inChunks = chunk.length > 0;
        if (!inChunks) {
            readLine(in);
        }
        return chunk;
    }

    public String textChunk() throws IOException {
        return new String(chunk(), StandardCharsets.UTF_8);
    }

    /** Chunks until so many bytes have come. */
    public String text(int length) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(textChunk());
        }
        return text.toString();
    }

    /** So many bytes, whatever they are. */
    public byte[] bytes(int length) throws IOException {
        return exactly(length);
    }

    /** All that comes until the other side closes. */
    public String untilClosed() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("broken after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    /** Closes the connection in the middle of whatever it does. */
    public void leave() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The rest of a chunked body; fails if it is not whole. */
    public static byte[] readChunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        copyChunks(in, body);
        return body.toByteArray();
    }

    /** How long the rest of a chunked body is; fails if it is not whole. */
    public static long skipChunks(InputStream in) throws IOException {
        return copyChunks(new BufferedInputStream(in), OutputStream.nullOutputStream());
    }

    private static long copyChunks(InputStream in, OutputStream to) throws IOException {
        long count = 0;
        while (true) {
            int length = Integer.parseInt(readLine(in), 16);
            byte[] chunk = in.readNBytes(length);
            if (chunk.length < length || !readLine(in).isEmpty()) {
                throw new IOException("broken after " + chunk.length + " of " + length + " bytes");
            }
            if (length == 0) {
                return count;
            }
            count += length;
            to.write(chunk);
        }
    }

    public static List<String> readHead(InputStream in) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
            lines.add(line);
        }
        return lines;
    }

    private static String readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("broken in a line: " + line);
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }
}
