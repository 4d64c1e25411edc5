package dev.weir.proxy;

import dev.weir.mcp.TraceMeta;
import dev.weir.telemetry.UpstreamObservation;
import dev.weir.upstream.Header;
import dev.weir.upstream.UpstreamClient;
import dev.weir.upstream.UpstreamRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a call to an upstream says of the trace that it belongs to, where there is one: in its header fields, and in its message. */
final class TracedCall {

    private TracedCall() {}

    /**
     * The request to send: the same one where nothing is traced.
     *
     * @param body what the message was read from, which is what would be sent
     */
    static UpstreamRequest naming(UpstreamObservation observation, UpstreamRequest request, byte[] body) {
        Map<String, String> fields = observation.fields();
        if (fields.isEmpty()) {
            return request;
        }
        List<Header> headers = new ArrayList<>(request.headers());
        headers.removeIf(header -> isReplaced(Header.key(header.name()), fields));
        fields.forEach((name, value) -> headers.add(new Header(name, value)));
        return new UpstreamRequest(
                request.method(),
                request.target(),
                headers,
                ByteBuffer.wrap(observation.body(body)),
                request.streamed(),
                request.longLived());
    }

    /** A state that belongs to somebody else's span goes with it. */
    private static boolean isReplaced(String key, Map<String, String> fields) {
        return fields.containsKey(key) || key.equals(TraceMeta.TRACESTATE);
    }

    /** A client that tells which targets the request is sent to. */
    static UpstreamClient telling(UpstreamObservation observation, UpstreamClient client) {
        return (upstream, request, answer) -> {
            observation.sending(request.target());
            return client.send(upstream, request, answer);
        };
    }
}
