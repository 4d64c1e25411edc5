package dev.weir.web;

import dev.weir.auth.ClientAddress;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who may look inside: whoever has the admin token, and callers on this machine. Safe for use by many threads. */
public final class Insiders {

    private static final String BEARER = "Bearer ";

    private final Predicate<String> token;
    private final OriginRule origins;

    /**
     * @param token   whether a token is the operator's
     * @param origins the names by which callers on this machine may call
     */
    public Insiders(Predicate<String> token, OriginRule origins) {
        this.token = token;
        this.origins = origins;
    }

    /** Whether the sender of a request is one of them. */
    boolean include(HttpServletRequest request) {
        return isOperator(request.getHeader("Authorization")) || isFromHere(request);
    }

    private boolean isOperator(@Nullable String authorization) {
        return authorization != null
                && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && token.test(authorization.substring(BEARER.length()).strip());
    }

    /** A proxy on this machine calls for others, and a page in a browser here for whoever wrote it. */
    private boolean isFromHere(HttpServletRequest request) {
        return ClientAddress.isLoopback(request.getRemoteAddr())
                && request.getHeader("X-Forwarded-For") == null
                && request.getHeader("Forwarded") == null
                && origins.allowsHost(OriginRule.authority(request), request.getRemoteAddr());
    }
}
