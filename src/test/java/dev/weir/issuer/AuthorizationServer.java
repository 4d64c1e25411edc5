package dev.weir.issuer;

import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A small authorization server that does all that MCP asks of one: metadata, dynamic registration, the code flow with PKCE and a
 * resource, tokens that are for that resource, and refresh tokens. Its users agree to everything. It is strict: what a client gets
 * wrong is refused.
 */
public final class AuthorizationServer implements AutoCloseable {

    /** What may be wrong with the next token. */
    public enum Flaw {
        NONE,
        EXPIRED,
        FOREIGN
    }

    private record Grant(String client, String redirect, String challenge, String resource, String scope) {}

    private final TestIssuer issuer;
    private final TestKey key;
    private final Map<String, List<?>> clients = new ConcurrentHashMap<>();
    private final Map<String, Grant> codes = new ConcurrentHashMap<>();
    private final Map<String, Grant> refreshes = new ConcurrentHashMap<>();
    private final Queue<Flaw> flaws = new ConcurrentLinkedQueue<>();

    private AuthorizationServer(TestIssuer issuer, TestKey key) {
        this.issuer = issuer;
        this.key = key;
    }

    /** One that signs with this key, running. */
    public static AuthorizationServer start(TestKey key) throws Exception {
        TestIssuer issuer = TestIssuer.start(key);
        AuthorizationServer server = new AuthorizationServer(issuer, key);
        issuer.put(TestIssuer.METADATA, TestIssuer.Page.json(JSONObjectUtils.toJSONString(server.metadata())));
        issuer.serve("/register", server::register);
        issuer.serve("/authorize", server::authorize);
        issuer.serve("/token", server::token);
        return server;
    }

    public URI issuer() {
        return issuer.issuer();
    }

    /** What it was asked for, in order. */
    public List<String> asked() {
        return issuer.asked();
    }

    /** What is wrong with the tokens that it gives next, one after the other; nothing is with those that follow. */
    public void give(Flaw... next) {
        flaws.addAll(List.of(next));
    }

    private Map<String, Object> metadata() {
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("issuer", issuer().toString());
        metadata.put("authorization_endpoint", issuer() + "/authorize");
        metadata.put("token_endpoint", issuer() + "/token");
        metadata.put("registration_endpoint", issuer() + "/register");
        metadata.put("jwks_uri", issuer.jwks().toString());
        metadata.put("response_types_supported", List.of("code"));
        metadata.put("grant_types_supported", List.of("authorization_code", "refresh_token"));
        metadata.put("code_challenge_methods_supported", List.of("S256"));
        metadata.put("token_endpoint_auth_methods_supported", List.of("none"));
        metadata.put("authorization_response_iss_parameter_supported", true);
        return metadata;
    }

    private TestIssuer.Page register(TestIssuer.Question question) {
        try {
            Map<String, Object> client = JSONObjectUtils.parse(question.body());
            String id = UUID.randomUUID().toString();
            clients.put(id, new ArrayList<>(JSONObjectUtils.getJSONArray(client, "redirect_uris")));
            client.put("client_id", id);
            return new TestIssuer.Page(
                    201, Map.of("Content-Type", "application/json"), JSONObjectUtils.toJSONString(client));
        } catch (ParseException e) {
            return refused("invalid_client_metadata");
        }
    }

    private TestIssuer.Page authorize(TestIssuer.Question question) {
        Map<String, String> asked = form(question.query());
        String client = asked.getOrDefault("client_id", "");
        String redirect = asked.getOrDefault("redirect_uri", "");
        if (!clients.getOrDefault(client, List.of()).contains(redirect)
                || !"code".equals(asked.get("response_type"))
                || !"S256".equals(asked.get("code_challenge_method"))
                || asked.getOrDefault("code_challenge", "").isEmpty()
                || asked.getOrDefault("resource", "").isEmpty()) {
            return refused("invalid_request");
        }
        String code = UUID.randomUUID().toString();
        codes.put(
                code,
                new Grant(
                        client,
                        redirect,
                        asked.getOrDefault("code_challenge", ""),
                        asked.getOrDefault("resource", ""),
                        asked.getOrDefault("scope", "")));
        String state = asked.get("state");
        String location = redirect + "?code=" + code + "&iss=" + encoded(issuer().toString())
                + (state == null ? "" : "&state=" + encoded(state));
        return new TestIssuer.Page(302, Map.of("Location", location), "");
    }

    private TestIssuer.Page token(TestIssuer.Question question) {
        Map<String, String> asked = form(question.body());
        Grant grant = switch (asked.getOrDefault("grant_type", "")) {
            case "authorization_code" -> ofCode(asked);
            case "refresh_token" -> refreshes.remove(asked.getOrDefault("refresh_token", ""));
            default -> null;
        };
        if (grant == null
                || !grant.client().equals(asked.get("client_id"))
                || !grant.resource().equals(asked.get("resource"))) {
            return refused("invalid_grant");
        }
        String refresh = UUID.randomUUID().toString();
        refreshes.put(refresh, grant);
        return TestIssuer.Page.json(JSONObjectUtils.toJSONString(Map.of(
                "access_token",
                accessToken(grant),
                "token_type",
                "Bearer",
                "expires_in",
                600,
                "refresh_token",
                refresh)));
    }

    /** The grant of a code, once, for who asked for it. */
    private Grant ofCode(Map<String, String> asked) {
        Grant grant = codes.remove(asked.getOrDefault("code", ""));
        boolean good = grant != null
                && grant.redirect().equals(asked.get("redirect_uri"))
                && grant.challenge().equals(sha256(asked.getOrDefault("code_verifier", "")));
        return good ? grant : null;
    }

    private String accessToken(Grant grant) {
        Flaw flaw = flaws.isEmpty() ? Flaw.NONE : flaws.remove();
        String audience = flaw == Flaw.FOREIGN ? "https://somebody.example/mcp" : grant.resource();
        long now = System.currentTimeMillis() - (flaw == Flaw.EXPIRED ? 3_600_000 : 0);
        Map<String, Object> claims = issuer.claims(audience, now);
        claims.put("client_id", grant.client());
        claims.put("scope", grant.scope());
        return key.token(claims);
    }

    private static TestIssuer.Page refused(String error) {
        return new TestIssuer.Page(400, Map.of("Content-Type", "application/json"), "{\"error\":\"" + error + "\"}");
    }

    private static Map<String, String> form(String text) {
        Map<String, String> form = new LinkedHashMap<>();
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                form.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
            }
        }
        return form;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String sha256(String verifier) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64URL.encode(digest).toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        issuer.close();
    }
}
