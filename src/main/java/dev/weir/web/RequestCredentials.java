package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a request says to prove who sends it, or might: so that it can be taken out wherever else it is said. */
final class RequestCredentials {

    private static final List<String> HEADERS =
            List.of("Authorization", "Proxy-Authorization", "X-API-Key", "DPoP", "Mcp-Session-Id");

    /** Shorter values are found in every text. */
    private static final int SHORTEST = 4;

    private static final int MOST = 64;

    private RequestCredentials() {}

    /** All of them, longer ones first, because some are parts of others. */
    static Collection<String> of(HttpServletRequest request) {
        Set<String> all = new TreeSet<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        for (String header : HEADERS) {
            for (String value : Collections.list(request.getHeaders(header))) {
                add(all, value);
                add(all, value.substring(value.indexOf(' ') + 1));
                basic(all, value);
            }
        }
        for (String cookies : Collections.list(request.getHeaders("Cookie"))) {
            values(all, cookies, ";");
        }
        values(all, request.getQueryString(), "&");
        return all;
    }

    private static void basic(Set<String> all, String authorization) {
        if (authorization.regionMatches(true, 0, "Basic ", 0, 6)) {
            try {
                String pair = new String(
                        Base64.getDecoder().decode(authorization.substring(6).strip()), StandardCharsets.UTF_8);
                add(all, pair);
                add(all, pair.substring(pair.indexOf(':') + 1));
            } catch (IllegalArgumentException e) {
                // It is no pair, and as it stands it is among them.
            }
        }
    }

    private static void values(Set<String> all, @Nullable String pairs, String between) {
        if (pairs == null) {
            return;
        }
        for (String pair : pairs.split(between, MOST)) {
            String value = pair.substring(pair.indexOf('=') + 1).strip();
            add(all, value);
            try {
                add(all, URLDecoder.decode(value, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                // As it stands it is among them.
            }
        }
    }

    private static void add(Set<String> all, String value) {
        if (value.length() >= SHORTEST && all.size() < MOST) {
            all.add(value);
        }
    }
}
