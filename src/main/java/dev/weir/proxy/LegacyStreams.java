package dev.weir.proxy;

import dev.weir.mcp.ClientStreams;
import dev.weir.upstream.Upstream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of HTTP+SSE clients on this node, by the address that each was given for its messages. Safe for use by many
 * threads.
 */
public final class LegacyStreams implements ClientStreams {

    /** The most streams of one owner that refusals are written to; what goes beyond works but is refused by HTTP. */
    static final int MAX_PER_OWNER = 1_000;

    private static final byte[] EVENT_START = "event: message\ndata: ".getBytes(StandardCharsets.US_ASCII);

    private record Open(String owner, Predicate<byte[]> insert) {}

    private final Seals seals;
    private final MessagePaths paths;
    private final Map<String, Open> open = new ConcurrentHashMap<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /** @param seals for the addresses of messages; those that were made with another key lead nowhere */
    public LegacyStreams(Seals seals) {
        this.seals = seals;
        this.paths = new MessagePaths(seals);
    }

    /** What the addresses of messages are sealed with. */
    Seals seals() {
        return seals;
    }

    /** How many streams are open that refusals can be written to. */
    public int size() {
        return open.size();
    }

    @Override
    public Delivery deliver(String path, @Nullable String query, String owner, byte[] message) {
        if (!path.contains(MessagePaths.SEGMENT)) {
            return Delivery.NOT_MEANT;
        }
        Open stream = open.get(address(path, query));
        boolean sent = stream != null
                && stream.owner().equals(owner)
                && stream.insert().test(event(message));
        return sent ? Delivery.SENT : Delivery.NO_STREAM;
    }

    /** Where a message goes; null if its sender was never given this address. */
    @Nullable
    URI target(Upstream upstream, String owner, String path, @Nullable String query) {
        return paths.target(upstream, owner, path, query);
    }

    /** The public address of an endpoint; see {@link MessagePaths#publish}. */
    String publish(Upstream upstream, String owner, URI endpoint) {
        return paths.publish(upstream, owner, endpoint);
    }

    /**
     * Takes a stream in.
     *
     * @param address as it was published
     * @param insert  puts an event between two others; false if it cannot
     * @return takes it out again; may be run more than once
     */
    Runnable add(String address, String owner, Predicate<byte[]> insert) {
        int count = counts.merge(owner, 1, Integer::sum);
        Open stream = new Open(owner, insert);
        if (count > MAX_PER_OWNER) {
            leave(owner);
            return () -> {};
        }
        Open before = open.put(address, stream);
        if (before != null) {
            leave(before.owner());
        }
        return () -> {
            if (open.remove(address, stream)) {
                leave(owner);
            }
        };
    }

    private void leave(String owner) {
        counts.computeIfPresent(owner, (name, count) -> count == 1 ? null : count - 1);
    }

    private static String address(String path, @Nullable String query) {
        return query == null ? path : path + "?" + query;
    }

    private static byte[] event(byte[] message) {
        ByteArrayOutputStream event = new ByteArrayOutputStream(EVENT_START.length + message.length + 2);
        event.writeBytes(EVENT_START);
        for (byte next : message) {
            if (next == '\r' || next == '\n') {
                throw new IllegalArgumentException("a message of more than one line is no event");
            }
            event.write(next);
        }
        event.write('\n');
        event.write('\n');
        return event.toByteArray();
    }
}
