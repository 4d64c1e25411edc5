package dev.weir.upstream;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the requests under one public path prefix go. Scheme, host and port come from {@code base} alone; nothing in a
 * request can change them.
 *
 * @param prefix  the public prefix, whole path segments, such as {@code /mcp}; {@code /} for everything
 * @param base    what stands in for the prefix: an absolute {@code http} or {@code https} URL
 * @param limits  what the way there is bounded by
 * @param manners how requests and answers are treated
 * @param access  how Weir makes itself known there
 * @param fleet   where else they may go
 */
public record Upstream(String prefix, URI base, Limits limits, Manners manners, Access access, Fleet fleet) {

    /*
     * What servers are known to read in more than one way, and so could lead out of the base path: dot segments, empty
     * segments, path parameters, backslashes, and each of these escaped. An escaped percent sign hides any of them
     * from whoever decodes only once.
     */
    private static final Pattern AMBIGUOUS = Pattern.compile("//|/\\.\\.?(/|$)|[;\\\\#?]|%(2e|2f|5c|3b|25|00)");

    /** @throws IllegalArgumentException if a part cannot work as written; the message names the value and the rule */
    public Upstream {
        require(
                prefix.equals("/") || (prefix.startsWith("/") && !prefix.endsWith("/")),
                "prefix",
                prefix,
                "must begin with a slash and not end with one");
        check(base);
        fleet.others().forEach(Upstream::check);
    }

    private static void check(URI base) {
        String scheme = base.getScheme();
        require(
                "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme),
                "upstream",
                base,
                "must begin with http:// or https://");
        require(base.getHost() != null, "upstream", base, "must name a host");
        require(base.getRawUserInfo() == null, "upstream", base, "must not carry a user or password");
        require(
                base.getRawQuery() == null && base.getRawFragment() == null,
                "upstream",
                base,
                "must not have a query or a fragment");
    }

    /** One that needs to know nothing of Weir. */
    public Upstream(String prefix, URI base, Limits limits, Manners manners) {
        this(prefix, base, limits, manners, Access.PLAIN, Fleet.NONE);
    }

    /** All addresses that requests may go to, the route's own first. */
    public List<URI> targets() {
        if (fleet.others().isEmpty()) {
            return List.of(base);
        }
        List<URI> all = new ArrayList<>(fleet.others().size() + 1);
        all.add(base);
        all.addAll(fleet.others());
        return all;
    }

    /** The same route with one of its targets, and no others. */
    public Upstream at(URI target) {
        return fleet.others().isEmpty() && target.equals(base)
                ? this
                : new Upstream(prefix, target, limits, manners, access, Fleet.NONE);
    }

    /**
     * The address of one request: the prefix taken off, unless it is kept, the rest appended to the base, the query passed on.
     *
     * @param path     the request's path within the web application, as it was sent, not decoded
     * @param rawQuery the query as it was sent, or null
     * @throws IllegalArgumentException if the path does not spell the prefix out, if it could be read in two ways, or if
     *     path or query have characters that no URL may have
     */
    public URI target(String path, @Nullable String rawQuery) {
        int length = checkedPrefixLength(path);
        String rest = manners.stripsPrefix() ? path.substring(length) : path;
        if (rest.isEmpty() && rawQuery == null) {
            return base;
        }
        require(!AMBIGUOUS.matcher(rest.toLowerCase(Locale.ROOT)).find(), "path", path, "must have one meaning only");
        String root = base.toString();
        String stem = root.endsWith("/") && !rest.isEmpty() ? root.substring(0, root.length() - 1) : root;
        try {
            return new URI(rawQuery == null ? stem + rest : stem + rest + "?" + rawQuery);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("the address " + path + " is no URL", e);
        }
    }

    /** Scheme, host and port, which are all that a message address of the upstream must agree with. */
    public String origin() {
        return origin(base);
    }

    /** Scheme, host and port of an address with a host; the port always, the rest in lower case. */
    public static String origin(URI address) {
        String scheme = address.getScheme().toLowerCase(Locale.ROOT);
        int port = address.getPort() >= 0 ? address.getPort() : scheme.equals("https") ? 443 : 80;
        return scheme + "://" + address.getHost().toLowerCase(Locale.ROOT) + ":" + port;
    }

    private int checkedPrefixLength(String path) {
        int length = prefix.equals("/") ? 0 : prefix.length();
        boolean whole = path.length() == length || (path.length() > length && path.charAt(length) == '/');
        require(whole && path.startsWith(prefix), "path", path, "must begin with the prefix, unescaped");
        return length;
    }

    private static void require(boolean holds, String what, Object value, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(what + " \"" + value + "\" " + rule);
        }
    }
}
