package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** From where and under which name requests come, for those who are not reached through the filters. Safe for use by many threads. */
public final class Approach {

    private final OriginRule origins;
    private final PublicBase base;

    /**
     * @param origins the names by which Weir may be called
     * @param base    the proxies whose word is taken, and the address that is known
     */
    public Approach(OriginRule origins, PublicBase base) {
        this.origins = origins;
        this.base = base;
    }

    /** The address that a request comes from, as far as it can be known. */
    public String address(HttpServletRequest request) {
        return base.sender(request).address();
    }

    /** Whether the sender's own connection is encrypted. */
    public boolean isEncrypted(HttpServletRequest request) {
        return base.of(request).startsWith("https:");
    }

    /** Whether a request calls Weir by a name that it may be called by. */
    public boolean usesOurName(HttpServletRequest request) {
        return origins.allowsHost(OriginRule.authority(request), request.getRemoteAddr());
    }

    /**
     * Whether no page of another origin has made a browser send a request.
     *
     * @see <a href="https://www.w3.org/TR/fetch-metadata/">Fetch metadata</a>
     */
    public boolean isFromOwnPage(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        List<String> origin = Collections.list(request.getHeaders("Origin"));
        return (site == null || site.equals("same-origin") || site.equals("none"))
                && (origin.isEmpty() || (origin.size() == 1 && isOwn(origin.get(0), request)));
    }

    private boolean isOwn(@Nullable String origin, HttpServletRequest request) {
        return base.of(request).equalsIgnoreCase(origin);
    }
}
