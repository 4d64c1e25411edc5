package dev.weir.admin;

import dev.weir.auth.ApiKey;
import dev.weir.rest.Access;
import dev.weir.rest.Operator;
import dev.weir.rest.Problem;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows operators by their token, or by the cookie of a session that was made from one. Safe for use by many threads, and waits for
 * nothing.
 */
public final class Doorkeeper implements Access {

    /** The cookie of a session. */
    static final String COOKIE = "weir_admin";

    /** The header field in which the console proves that it is its own page that sends a change. */
    static final String CSRF = "X-CSRF-Token";

    private static final Logger LOG = LoggerFactory.getLogger(Doorkeeper.class);
    /** The header field in which the console says that it asks by itself: no sign that anybody is there. */
    private static final String UNATTENDED = "X-Weir-Unattended";

    /** What a browser opens again and again by itself, without header fields of ours. */
    private static final String STREAM = "/v1/live";

    private static final String BEARER = "Bearer ";

    private final Tokens tokens;
    private final Sessions sessions;
    private final Guesses guesses;
    private final Way way;

    Doorkeeper(Tokens tokens, Sessions sessions, Guesses guesses, Way way) {
        this.tokens = tokens;
        this.sessions = sessions;
        this.guesses = guesses;
        this.way = way;
    }

    @Override
    public Operator identify(HttpServletRequest request, HttpServletResponse response, boolean changes) throws Problem {
        if (!way.isFromOwnPage(request)) {
            throw Problem.of(
                    403,
                    "foreign_page",
                    "Pages of other origins may not use this API. If this is Weir's own console behind a proxy, mcp.public-url"
                            + " or mcp.trusted-proxies has to say under which address it is known.");
        }
        String authorization = request.getHeader("Authorization");
        if (authorization != null) {
            String digest = digest(authorization);
            Tokens.Owner owner = byToken(request, digest);
            if (owner == null) {
                throw unknown("There is no such token, or it is good no more.");
            }
            return Operator.byToken(owner.name(), owner.role(), () -> isGood(digest, owner));
        }
        Session session = session(request);
        Tokens.Owner owner = session == null ? null : tokens.owner(session.digest());
        if (session == null || owner == null) {
            throw unknown("The admin token is needed as a bearer token, or a session that was made from it.");
        }
        if (changes && !isEqual(csrf(session), request.getHeader(CSRF))) {
            throw Problem.of(
                    403, "csrf", "With a session, the header " + CSRF + " has to tell what GET /v1/session tells.");
        }
        boolean attended = request.getHeader(UNATTENDED) == null && !STREAM.equals(request.getPathInfo());
        Session used = attended ? sessions.used(session) : null;
        if (used != null) {
            response.addHeader("Set-Cookie", cookie(request, sessions.write(used)));
        }
        Session latest = used == null ? session : used;
        return new Operator(
                owner.name(),
                owner.role(),
                session.id(),
                sessions.lastEnd(session),
                () -> isGood(latest.digest(), owner) && sessions.isGoingOn(latest));
    }

    /** Whether a token is that of the same owner still, who may do no less than before. */
    private boolean isGood(String digest, Tokens.Owner before) {
        Tokens.Owner now = tokens.owner(digest);
        return now != null && now.name().equals(before.name()) && now.role().includes(before.role());
    }

    private static String digest(String authorization) throws Problem {
        if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw unknown("The admin token is needed as a bearer token.");
        }
        return ApiKey.digest(authorization.substring(BEARER.length()).strip());
    }

    private Tokens.@Nullable Owner byToken(HttpServletRequest request, String digest) throws Problem {
        Tokens.Owner owner = guesses.attempt(way.address(request), () -> tokens.owner(digest));
        if (owner == null) {
            LOG.atWarn().addKeyValue("client_ip", way.address(request)).log("admin_token_refused");
        }
        return owner;
    }

    /** The session that a request is part of; null if it is of none that goes on. */
    @Nullable
    Session session(HttpServletRequest request) {
        Cookie[] cookies = request.getCookies();
        return cookies == null
                ? null
                : Arrays.stream(cookies)
                        .filter(cookie -> cookie.getName().equals(COOKIE))
                        .map(cookie -> sessions.read(cookie.getValue()))
                        .filter(session -> session != null)
                        .findFirst()
                        .orElse(null);
    }

    /** What the console sends with its changes: known to whoever can read our answers, and to no other page. */
    static String csrf(Session session) {
        return ApiKey.digest("csrf " + session.id());
    }

    /** The header field that keeps a session in a browser, or takes it away if there is no text. */
    String cookie(HttpServletRequest request, String text) {
        return COOKIE + "=" + text + "; Path=" + request.getContextPath() + "/admin; HttpOnly; SameSite=Strict"
                + (way.isEncrypted(request) ? "; Secure" : "") + (text.isEmpty() ? "; Max-Age=0" : "");
    }

    private static Problem unknown(String detail) {
        return Problem.of(401, "unauthenticated", detail).with("WWW-Authenticate", "Bearer realm=\"weir-admin\"");
    }

    private static boolean isEqual(String expected, @Nullable String sent) {
        return sent != null
                && MessageDigest.isEqual(
                        expected.getBytes(StandardCharsets.UTF_8), sent.getBytes(StandardCharsets.UTF_8));
    }
}
