package dev.weir.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.TrustedProxies;
import dev.weir.gate.Resources;
import dev.weir.limit.Limit;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyRows;
import dev.weir.wire.Wire;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What WWW-Authenticate says, and that the address in it is the one under which the metadata is, wherever the WAR lies. */
@Timeout(60)
class ChallengeTest {

    private static final String ISSUER = "https://login.example";

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    @AfterEach
    void stop() {
        LifeCycle.stop(server);
    }

    private static PolicyBook policies(String... prefixes) throws Exception {
        PolicyRows rows = new PolicyRows(
                List.of(new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce")),
                List.of(prefixes).stream()
                        .map(prefix -> new PolicyRows.Route(prefix, "http://127.0.0.1:1/mcp"))
                        .toList(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        Policy policy = Policy.compile(rows, new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null));
        return new PolicyBook(policy, () -> Instant.EPOCH);
    }

    /** Serves metadata at its place, and a challenge for a route at {@code /route/…}, under a path of the container's choice. */
    private void serve(String context, @Nullable URI publicUrl, boolean tokens, String... routes) throws Exception {
        PublicBase base = new PublicBase(publicUrl, TrustedProxies.NONE);
        Challenge challenge = new Challenge(new MetadataAddress(base, tokens));
        ServletContextHandler handler = new ServletContextHandler();
        handler.setContextPath(context);
        handler.addServlet(
                new ServletHolder(new ResourceMetadata(new Resources(policies(routes)), base, tokens ? ISSUER : null)),
                ResourceMetadata.PATH + "/*");
        handler.addServlet(
                new ServletHolder(new HttpServlet() {
                    @Override
                    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                        String route = request.getPathInfo();
                        switch (String.valueOf(request.getQueryString())) {
                            case "bad" -> challenge.badToken(request, response, route, "it \"expired\"\\é", Set.of());
                            case "more" -> challenge.moreScopes(request, response, route, Set.of("b", "a"));
                            case "scopes" -> challenge.login(request, response, route, Set.of("b", "a"));
                            case "nowhere" -> challenge.login(request, response, null, Set.of());
                            default -> challenge.login(request, response, route, Set.of());
                        }
                    }
                }),
                "/route/*");
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
    }

    private Wire.Answer get(String path) throws Exception {
        try (Wire wire = new Wire(connector.getLocalPort())) {
            wire.send("GET " + path + " HTTP/1.1\r\nHost: gw.example:8443\r\n\r\n");
            return wire.answer();
        }
    }

    private String challenge(String path) throws Exception {
        return get(path).head().values("WWW-Authenticate").get(0);
    }

    @ParameterizedTest
    @CsvSource({
        "/, '', /mcp, http://gw.example:8443",
        "/gw, /gw, /mcp, http://gw.example:8443/gw",
        "/a/b, /a/b, /team/mcp, http://gw.example:8443/a/b",
        "/gw, /gw, /, http://gw.example:8443/gw"
    })
    void theAddressInTheChallengeIsWhereTheMetadataIs(String context, String before, String route, String base)
            throws Exception {
        serve(context, null, true, route);

        String below = route.equals("/") ? "" : route;
        assertThat(challenge(before + "/route" + route))
                .isEqualTo("Bearer realm=\"weir\", resource_metadata=\"" + base
                        + "/.well-known/oauth-protected-resource" + below + "\"");
        Wire.Answer metadata = get(before + "/.well-known/oauth-protected-resource" + below);
        assertThat(metadata.status()).isEqualTo(200);
        assertThat(metadata.body())
                .contains("\"resource\":\"" + base + route + "\"")
                .contains(ISSUER);
    }

    @Test
    void theConfiguredAddressIsToldWhateverARequestSays() throws Exception {
        serve("/gw", URI.create("https://public.example/x"), true, "/mcp");

        assertThat(challenge("/gw/route/mcp"))
                .contains("resource_metadata=\"https://public.example/x/.well-known/oauth-protected-resource/mcp\"");
        assertThat(get("/gw/.well-known/oauth-protected-resource/mcp").body())
                .contains("\"resource\":\"https://public.example/x/mcp\"");
    }

    @Test
    void whatIsWrongIsSaidInWordsThatEndNoQuotes() throws Exception {
        serve("/", null, false, "/mcp");

        assertThat(challenge("/route/mcp")).isEqualTo("Bearer realm=\"weir\"");
        assertThat(challenge("/route/mcp?nowhere")).isEqualTo("Bearer realm=\"weir\"");
        assertThat(challenge("/route/mcp?scopes")).isEqualTo("Bearer realm=\"weir\", scope=\"a b\"");
        assertThat(challenge("/route/mcp?bad"))
                .isEqualTo("Bearer realm=\"weir\", error=\"invalid_token\", error_description=\"it 'expired'''\"");
        assertThat(challenge("/route/mcp?more"))
                .isEqualTo("Bearer realm=\"weir\", error=\"insufficient_scope\","
                        + " error_description=\"The token lacks a scope for this.\", scope=\"a b\"");
        assertThat(get("/.well-known/oauth-protected-resource/mcp").status()).isEqualTo(404);
    }
}
