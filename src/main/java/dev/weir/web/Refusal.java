package dev.weir.web;

import java.util.Map;

/**
 * A refusal that does not come from the gate.
 *
 * @param status  the HTTP status
 * @param code    the JSON-RPC error code, where the answer is a JSON-RPC error; the HTTP status where JSON-RPC has none
 * @param error   the refusal's name in the plain error object
 * @param message why, in words that a person can act on
 */
record Refusal(int status, int code, String error, String message) {

    static final Refusal HOST = new Refusal(
            403,
            403,
            "host_not_allowed",
            "This host name is not allowed here: the setting MCP_ALLOWED_HOSTS says which are.");

    static final Refusal ORIGIN = new Refusal(
            403,
            403,
            "origin_not_allowed",
            "This origin is not allowed here: the setting MCP_ALLOWED_ORIGINS says which are.");

    static final Refusal PATH = new Refusal(404, 404, "route_not_found", "There is no route for this path.");

    static final Refusal NOT_READY = new Refusal(
            503,
            503,
            "not_ready",
            "Weir waits for its database or its policy and serves nothing yet. Try again later.");

    static final Refusal TOO_LARGE =
            new Refusal(413, 413, "body_too_large", "The body is larger than is accepted here.");

    static final Refusal TOO_SLOW = new Refusal(408, 408, "body_too_slow", "The body did not arrive in time.");

    static final Refusal NO_ROOM = new Refusal(
            503,
            503,
            "no_room",
            "The bodies of other requests take all the memory that there is for them. Try again soon.");

    static final Refusal BROKEN =
            new Refusal(400, 400, "body_broken", "The body ended early, or is not framed as HTTP asks for.");

    static final Refusal UNAUTHENTICATED = new Refusal(
            401,
            401,
            "unauthenticated",
            "A credential is needed: an API key or an access token as a bearer token, or an API key in X-API-Key.");

    static final Refusal UNCHECKED = new Refusal(
            503,
            503,
            "credential_not_checked",
            "The credential cannot be checked now, because who has issued it does not answer. Try again soon.");

    static final Refusal BAD_CREDENTIAL =
            new Refusal(401, 401, "invalid_credential", "The credential that was presented is not good.");

    Map<String, Object> details(String requestId) {
        return Map.of("error", error, "requestId", requestId);
    }
}
