package dev.weir.app;

import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads server-sent events off a bare socket, one after the other. */
final class EventReader implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** One event. */
    record Event(String kind, JsonNode data) {}

    private final Wire wire;
    private final Wire.Head head;
    private final StringBuilder read = new StringBuilder();

    EventReader(RunningWeir weir, String credential) throws IOException {
        wire = weir.wire();
        wire.send("GET /admin/api/v1/live HTTP/1.1\r\nHost: localhost\r\n" + credential + "\r\n");
        head = wire.head();
    }

    static String token(String token) {
        return "Authorization: Bearer " + token + "\r\n";
    }

    Wire.Head head() {
        return head;
    }

    /** The next event. */
    Event next() throws IOException {
        int end = read.indexOf("\n\n");
        while (end < 0) {
            byte[] chunk = wire.chunk();
            if (chunk.length == 0) {
                throw new IOException("the stream has ended");
            }
            read.append(new String(chunk, StandardCharsets.UTF_8));
            end = read.indexOf("\n\n");
        }
        String[] lines = read.substring(0, end).split("\n", 2);
        read.delete(0, end + 2);
        return new Event(lines[0].substring("event: ".length()), JSON.readTree(lines[1].substring("data: ".length())));
    }

    /** Reads to the end of the stream. */
    void toTheEnd() throws IOException {
        while (wire.chunk().length > 0) {
            read.setLength(0);
        }
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
