package dev.weir.web;

import dev.weir.auth.ClientAddress;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * From which web pages, and under which names of its own, Weir lets itself be called: the guard against DNS rebinding and
 * foreign pages. Immutable.
 */
public final class OriginRule {

    private static final String NAME = "([a-z0-9_-]+(\\.[a-z0-9_-]+)*\\.?|\\[[0-9a-f:.]+])";
    private static final Pattern HOST = Pattern.compile(NAME);
    private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://" + NAME + "(:[0-9]{1,5})?");

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
     * A name that may stand in a list of hosts.
     *
     * @throws IllegalArgumentException with the rule that it breaks
     */
    public static String host(String name) {
        if (!HOST.matcher(fold(name)).matches()) {
            throw new IllegalArgumentException(
                    "must be host names or addresses, without scheme, port or path (an IPv6 address in"
                            + " brackets), and [" + name + "] is none; there are no wildcards");
        }
        return name;
    }

    /**
     * An origin that may stand in a list of origins, written as browsers write theirs.
     *
     * @throws IllegalArgumentException with the rule that it breaks
     */
    public static String origin(String origin) {
        String folded = fold(origin);
        if (!ORIGIN.matcher(folded).matches()) {
            throw new IllegalArgumentException(
                    "must be origins such as https://console.example:8443, without path or slash at the" + " end, and ["
                            + origin + "] is none; there are no wildcards, because any page could call then");
        }
        if (folded.matches("http://.*:80|https://.*:443")) {
            throw new IllegalArgumentException(
                    "[" + origin + "] would never be met: browsers leave the usual port out");
        }
        return origin;
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
     * @param own    the origin of the pages that are Weir's own, as far as the request tells
     * @param peer   the address literal of the caller
     */
    public boolean allowsOrigin(String origin, String own, String peer) {
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
        // TLS may have ended before Weir. The other way round it is a page that anybody on the way could have written.
        String secure = fold(own).replaceFirst("^http:", "https:");
        boolean sameOrigin = folded.equals(fold(own)) || folded.equals(secure);
        return sameOrigin || (isLoopbackName(uri.getHost()) && ClientAddress.isLoopback(peer));
    }

    /** The origin of pages that a server has sent that was asked under this name; of none if there is no name. */
    public static String own(String scheme, @Nullable String host) {
        return host == null ? "" : scheme + "://" + host;
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
