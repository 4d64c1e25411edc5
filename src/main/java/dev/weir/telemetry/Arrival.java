package dev.weir.telemetry;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an HTTP request when it arrives.
 *
 * @param requestId the id under which it is logged
 * @param method    the HTTP method
 * @param scheme    {@code http} or {@code https}
 * @param path      the path, without a query
 * @param protocol  such as {@code HTTP/1.1}
 * @param address   the address of the caller
 * @param headers   every value of the header field of a name; asked now and not later
 */
public record Arrival(
        String requestId,
        String method,
        String scheme,
        String path,
        String protocol,
        String address,
        Function<String, List<String>> headers) {

    /** The one value of a header field; null if it has none, or several. */
    @Nullable
    String header(String name) {
        List<String> values = headers.apply(name);
        return values.size() == 1 ? values.get(0) : null;
    }
}
