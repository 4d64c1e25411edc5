package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The field {@code WWW-Authenticate}, which tells a caller what kind of credential would help and where it is told how to get
 * one.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6750#section-3">RFC 6750, 3</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9728#section-5.1">RFC 9728, 5.1: the parameter resource_metadata</a>
 */
final class Challenge {

    private final MetadataAddress metadata;

    Challenge(MetadataAddress metadata) {
        this.metadata = metadata;
    }

    /** A credential is needed, and none was presented. */
    void login(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable String route,
            Collection<String> scopes) {
        put(request, response, route, null, null, scopes);
    }

    /**
     * The credential is not good.
     *
     * @param why in words; null for none
     */
    void badToken(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable String route,
            @Nullable String why,
            Collection<String> scopes) {
        put(request, response, route, "invalid_token", why, scopes);
    }

    /** The token is good, but not for this: it would have to have all of these scopes. */
    void moreScopes(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable String route,
            Collection<String> scopes) {
        put(request, response, route, "insufficient_scope", "The token lacks a scope for this.", scopes);
    }

    private void put(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable String route,
            @Nullable String error,
            @Nullable String description,
            Collection<String> scopes) {
        StringBuilder challenge = new StringBuilder("Bearer realm=\"weir\"");
        parameter(challenge, "error", error);
        parameter(challenge, "error_description", description);
        parameter(challenge, "scope", scopes.isEmpty() ? null : String.join(" ", new TreeSet<>(scopes)));
        parameter(challenge, "resource_metadata", metadata.of(request, route));
        response.setHeader("WWW-Authenticate", challenge.toString());
    }

    /** Words that may have come from elsewhere lose what could end the quotes around them. */
    private static void parameter(StringBuilder challenge, String name, @Nullable String value) {
        if (value != null) {
            challenge
                    .append(", ")
                    .append(name)
                    .append("=\"")
                    .append(value.replaceAll("[^ !#-\\[\\]-~]", "'"))
                    .append('"');
        }
    }
}
