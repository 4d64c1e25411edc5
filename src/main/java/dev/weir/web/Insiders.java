package dev.weir.web;

import dev.weir.auth.ClientAddress;
import dev.weir.auth.TrustedProxies;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * Who may look inside: whoever has the admin token or a key for it, and callers on this machine, unless they call for others. Safe for use by many
 * threads.
 */
public final class Insiders {

    private static final String BEARER = "Bearer ";

    /** What proxies say of those for whom they send. */
    private static final List<String> FORWARDED =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via");

    private final BiPredicate<String, String> token;
    private final OriginRule origins;
    private final TrustedProxies proxies;

    /**
     * @param token   whether an address shows a token of an operator
     * @param origins the names by which callers on this machine may call
     * @param proxies who calls for others even if it does not say so
     */
    public Insiders(BiPredicate<String, String> token, OriginRule origins, TrustedProxies proxies) {
        this.token = token;
        this.origins = origins;
        this.proxies = proxies;
    }

    /** Whether the sender of a request is one of them. */
    boolean include(HttpServletRequest request) {
        return isFromHere(request) || isOperator(request);
    }

    private boolean isOperator(HttpServletRequest request) {
        String authorization = request.getHeader("Authorization");
        return authorization != null
                && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && token.test(
                        address(request),
                        authorization.substring(BEARER.length()).strip());
    }

    private String address(HttpServletRequest request) {
        return proxies.sender(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)))
                .address();
    }

    /** A proxy on this machine calls for others, and a page in a browser here for whoever wrote it. */
    private boolean isFromHere(HttpServletRequest request) {
        return ClientAddress.isLoopback(request.getRemoteAddr())
                && !proxies.include(request.getRemoteAddr())
                && FORWARDED.stream().allMatch(name -> request.getHeader(name) == null)
                && origins.allowsHost(OriginRule.authority(request), request.getRemoteAddr());
    }
}
