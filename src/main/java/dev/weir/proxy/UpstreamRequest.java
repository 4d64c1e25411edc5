package dev.weir.proxy;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What is sent to an upstream.
 *
 * @param method     the HTTP method
 * @param target     the absolute address
 * @param headers    all headers but {@code Host} and {@code Content-Length}, which follow from the address and the body
 * @param body       the whole body; empty where there is none
 * @param longLived  whether the answer is expected to stay open, so that it should not share connections with short calls
 */
public record UpstreamRequest(String method, URI target, List<Header> headers, ByteBuffer body, boolean longLived) {

    public UpstreamRequest {
        headers = List.copyOf(headers);
        body = body.asReadOnlyBuffer();
    }

    /** The same request to another address. */
    UpstreamRequest to(URI other) {
        return new UpstreamRequest(method, other, headers, body, longLived);
    }

    /** Names no header's value, because some are secrets. */
    @Override
    public String toString() {
        return method + " " + target + " " + headers.stream().map(Header::name).toList();
    }
}
