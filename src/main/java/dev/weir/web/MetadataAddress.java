package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Where clients read who gives tokens for a route, if anybody does. Immutable. */
public final class MetadataAddress {

    private final PublicBase base;
    private final boolean tokensAreTaken;

    /** @param tokensAreTaken whether there is an authorization server; if not, nobody is sent to look for one */
    public MetadataAddress(PublicBase base, boolean tokensAreTaken) {
        this.base = base;
        this.tokensAreTaken = tokensAreTaken;
    }

    /**
     * The address for one route, as the sender of a request has to call it.
     *
     * @param route the prefix of the route; null if the path belongs to none
     * @return null if there is nothing to be read
     */
    @Nullable
    String of(HttpServletRequest request, @Nullable String route) {
        if (!tokensAreTaken || route == null) {
            return null;
        }
        return base.withContext(request) + ResourceMetadata.PATH + (route.equals("/") ? "" : route);
    }
}
