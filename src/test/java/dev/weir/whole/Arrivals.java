package dev.weir.whole;

import dev.weir.wire.StubUpstream;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An upstream that outlives every Weir before it, and knows which calls of which agent were let through to it, and when. */
final class Arrivals implements AutoCloseable {

    private static final Pattern CALL = Pattern.compile("\"name\":\"([^\"]+)\".*\"who\":\"([^\"]+)\"");

    private final Map<String, Queue<Long>> arrived = new ConcurrentHashMap<>();
    private final StubUpstream upstream;

    Arrivals() throws IOException {
        upstream = new StubUpstream((request, line) -> {
            Matcher call = CALL.matcher(request.body());
            if (call.find()) {
                arrived.computeIfAbsent(key(call.group(2), call.group(1)), key -> new ConcurrentLinkedQueue<>())
                        .add(System.nanoTime());
            }
            line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}");
        });
    }

    URI url() {
        return upstream.base();
    }

    /** When the calls of a tool by an agent came, in their order, by {@link System#nanoTime}. */
    List<Long> of(String agent, String tool) {
        return List.copyOf(arrived.getOrDefault(key(agent, tool), new ConcurrentLinkedQueue<>()));
    }

    private static String key(String agent, String tool) {
        return agent + " " + tool;
    }

    @Override
    public void close() throws IOException {
        upstream.close();
    }
}
