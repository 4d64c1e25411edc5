package dev.weir.web;

import dev.weir.auth.ClientAddress;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * From which web pages, and under which names of its own, Weir lets itself be called: the guard against DNS rebinding and
 * foreign pages. Immutable.
 */
public final class OriginRule {

    private final Set<String> allowedHosts;
    private final Set<String> allowedOrigins;

    /**
     * @param allowedHosts   names that requests may call Weir by, without port; empty for no such list
     * @param allowedOrigins origins of web pages, such as {@code https://console.example}
     */
    public OriginRule(Set<String> allowedHosts, Set<String> allowedOrigins) {
        this.allowedHosts = allowedHosts.stream().map(OriginRule::fold).collect(Collectors.toUnmodifiableSet());
        this.allowedOrigins = allowedOrigins.stream().map(OriginRule::fold).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Whether a request may call Weir by this name. Where a list is set it binds everybody; where none is, a caller on this
     * machine has to use a name of this machine, because a browser here may be calling for a page that only pretends to be.
     *
     * @param host the {@code Host} field; null if there is none
     * @param peer the address literal of the caller
     */
    boolean allowsHost(@Nullable String host, String peer) {
        String name = host == null ? "" : fold(withoutPort(host));
        if (!allowedHosts.isEmpty()) {
            return allowedHosts.contains(name);
        }
        return !ClientAddress.isLoopback(peer) || isLoopbackName(name);
    }

    /**
     * Whether a page of this origin may call Weir.
     *
     * @param origin the {@code Origin} field
     * @param host   the {@code Host} field; null if there is none
     * @param peer   the address literal of the caller
     */
    boolean allowsOrigin(String origin, @Nullable String host, String peer) {
        String folded = fold(origin);
        if (allowedOrigins.contains(folded)) {
            return true;
        }
        URI uri;
        try {
            uri = URI.create(folded);
        } catch (IllegalArgumentException e) {
            return false;
        }
        if (uri.getHost() == null || uri.getRawAuthority() == null) {
            return false;
        }
        boolean sameOrigin = host != null && uri.getRawAuthority().equals(fold(host));
        return sameOrigin || (isLoopbackName(uri.getHost()) && ClientAddress.isLoopback(peer));
    }

    private static boolean isLoopbackName(String name) {
        return name.equals("localhost") || name.endsWith(".localhost") || ClientAddress.isLoopback(name);
    }

    /**
     * The name and port that a request was sent to: its {@code Host} field; from HTTP/2 on, where it may have none, what the
     * container has made of {@code :authority}.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1">RFC 9113, 8.3.1</a>
     */
    static @Nullable String authority(HttpServletRequest request) {
        String host = request.getHeader("Host");
        if (host != null || request.getProtocol().startsWith("HTTP/1")) {
            return host;
        }
        String name = request.getServerName();
        String literal = name.indexOf(':') >= 0 && !name.startsWith("[") ? "[" + name + "]" : name;
        boolean usual = request.getServerPort() == (request.isSecure() ? 443 : 80);
        return usual ? literal : literal + ":" + request.getServerPort();
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    }

    private static String fold(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }
}
