package dev.weir.proxy;

import dev.weir.upstream.Upstream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One answer to a GET, which may turn out to be the stream of an HTTP+SSE client: gives the client an address of Weir for its
 * messages, and is known by that address until it ends.
 *
 * <p>The stream's pieces come one at a time; it may be closed by any thread.
 */
final class LegacyStream {

    private final LegacyStreams streams;
    private final Upstream upstream;
    private final URI asked;
    private final String contextPath;
    private final String owner;
    private final EndpointEvent events = new EndpointEvent(this::publish);

    private @Nullable Predicate<byte[]> insert;
    private @Nullable Runnable leave;
    private boolean closed;

    /**
     * @param asked       the upstream's address of the stream
     * @param contextPath the path of the web application, which clients have to put before everything
     * @param owner       whose stream it is
     */
    LegacyStream(LegacyStreams streams, Upstream upstream, URI asked, String contextPath, String owner) {
        this.streams = streams;
        this.upstream = upstream;
        this.asked = asked;
        this.contextPath = contextPath;
        this.owner = owner;
    }

    /**
     * Takes the next piece of the stream.
     *
     * @param to puts an event into the stream on its way to the client
     * @return what is to be sent on now
     * @throws IOException if the upstream has named an address that clients must not be told of
     */
    ByteBuffer pass(ByteBuffer content, Predicate<byte[]> to) throws IOException {
        if (events.isDone()) {
            return content;
        }
        insert = to;
        return events.pass(content);
    }

    /** The stream has ended. */
    synchronized void close() {
        closed = true;
        if (leave != null) {
            leave.run();
        }
    }

    private String publish(String endpoint) throws IOException {
        URI resolved = resolve(endpoint);
        String address;
        try {
            address = streams.publish(upstream, owner, resolved);
        } catch (IllegalArgumentException e) {
            throw new IOException("the upstream named an endpoint that cannot be told: " + e.getMessage(), e);
        }
        enter(address);
        return contextPath + address;
    }

    private synchronized void enter(String address) {
        if (leave != null) {
            leave.run();
        }
        if (!closed) {
            leave = streams.add(address, owner, Objects.requireNonNull(insert));
        }
    }

    private URI resolve(String endpoint) throws IOException {
        URI base = asked.getRawPath().isEmpty() ? URI.create(upstream.origin() + "/") : asked;
        URI resolved;
        try {
            // RFC 2396, by which URI resolves, takes a query alone for something else than RFC 3986 does.
            resolved = base.resolve(endpoint.startsWith("?") ? base.getRawPath() + endpoint : endpoint);
        } catch (IllegalArgumentException e) {
            throw new IOException("the upstream named an endpoint that is no address", e);
        }
        if (resolved.getHost() == null || resolved.getRawUserInfo() != null || resolved.getRawFragment() != null) {
            throw new IOException("the upstream named an endpoint that is no plain address");
        }
        String origin = Upstream.origin(resolved);
        if (!origin.equals(upstream.origin())) {
            throw new IOException(
                    "the upstream named an endpoint of another origin: " + origin + " is not " + upstream.origin());
        }
        return resolved;
    }
}
