package dev.weir.upstream;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How Weir makes itself known to an upstream. Immutable; its text shows no secret.
 *
 * @param tls     the name of the trust store and the certificate for {@code https}; null for the trust of the JVM and no
 *                certificate
 * @param headers put on every request, in place of the client's of the same name
 * @param clients whether the upstream is told who calls
 */
public record Access(@Nullable String tls, List<Header> headers, Introduction clients) {

    /** With nothing of its own. */
    public static final Access PLAIN = new Access(null, List.of(), Introduction.NONE);

    public Access {
        headers = List.copyOf(headers);
    }

    /** One that says nothing of clients. */
    public Access(@Nullable String tls, List<Header> headers) {
        this(tls, headers, Introduction.NONE);
    }

    /** The headers of a request with these in place of those of the same name. */
    public List<Header> over(List<Header> request) {
        if (headers.isEmpty()) {
            return request;
        }
        List<Header> all = new ArrayList<>(request.size() + headers.size());
        for (Header header : request) {
            if (headers.stream().noneMatch(own -> own.hasNameOf(header))) {
                all.add(header);
            }
        }
        all.addAll(headers);
        return all;
    }

    @Override
    public String toString() {
        return "Access[tls=" + tls + ", headers="
                + headers.stream().map(Header::name).toList() + ", clients=" + clients + "]";
    }
}
