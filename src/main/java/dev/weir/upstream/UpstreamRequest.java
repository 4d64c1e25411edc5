package dev.weir.upstream;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is sent to an upstream.
 *
 * @param method     the HTTP method
 * @param target     the absolute address
 * @param headers    all headers but {@code Content-Length}, which follows from the body; {@code Host} follows from the address
 *     where it is not among them
 * @param body       the whole body; empty where there is none, or where it is streamed
 * @param streamed   the body where it is sent while it comes in; else null
 * @param longLived  whether the answer is expected to stay open, so that it should not share connections with short calls
 */
public record UpstreamRequest(
        String method,
        URI target,
        List<Header> headers,
        ByteBuffer body,
        @Nullable RequestBody streamed,
        boolean longLived) {

    public UpstreamRequest {
        headers = List.copyOf(headers);
        body = body.asReadOnlyBuffer();
    }

    /** A request whose body is here already. */
    public UpstreamRequest(String method, URI target, List<Header> headers, ByteBuffer body, boolean longLived) {
        this(method, target, headers, body, null, longLived);
    }

    /** The same request to another address. */
    UpstreamRequest to(URI other) {
        return new UpstreamRequest(method, other, headers, body, streamed, longLived);
    }

    /** Names no header's value, because some are secrets. */
    @Override
    public String toString() {
        return method + " " + target + " " + headers.stream().map(Header::name).toList();
    }
}
