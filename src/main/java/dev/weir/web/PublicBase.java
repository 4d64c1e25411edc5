package dev.weir.web;

import dev.weir.auth.Sender;
import dev.weir.auth.TrustedProxies;
import dev.weir.mcp.ForwardedAs;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * The address under which clients know Weir, without a route's prefix: what the operator says that it is; else what a trusted
 * proxy says that it was asked for; else what the request was sent to. Immutable.
 */
public final class PublicBase {

    private final @Nullable URI configured;
    private final TrustedProxies proxies;

    /**
     * @param configured what the operator says that it is; null to go by the request
     * @param proxies    who is believed in what a request was sent to
     */
    public PublicBase(@Nullable URI configured, TrustedProxies proxies) {
        this.configured = configured;
        this.proxies = proxies;
    }

    /** Scheme, authority and, if one is configured, path, without a slash at the end. */
    String of(HttpServletRequest request) {
        if (configured != null) {
            return configured.toString().replaceAll("/+$", "");
        }
        ForwardedAs forwarded = forwarded(request, sender(request));
        return forwarded.scheme() + "://" + (forwarded.host() == null ? request.getServerName() : forwarded.host());
    }

    /** The same with the path of the web application; a route's prefix may follow. */
    String withContext(HttpServletRequest request) {
        return configured == null ? of(request) + request.getContextPath() : of(request);
    }

    /** Whether it is the same for all requests. */
    boolean isFixed() {
        return configured != null;
    }

    /** Where a request comes from. */
    Sender sender(HttpServletRequest request) {
        return proxies.sender(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)));
    }

    /** How it came, in the words for those further on. */
    ForwardedAs forwarded(HttpServletRequest request, Sender sender) {
        String hops = String.join(", ", sender.hops());
        if (configured != null) {
            return new ForwardedAs(hops, configured.getScheme(), configured.getRawAuthority());
        }
        return new ForwardedAs(
                hops,
                sender.scheme() == null ? request.getScheme() : sender.scheme(),
                sender.host() == null ? OriginRule.authority(request) : sender.host());
    }
}
