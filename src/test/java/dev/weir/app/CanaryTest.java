package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.weir.log.LogCapture;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * O66: a secret of its own in every place in which there can be one, with all that is told switched on; then each is looked for
 * wherever Weir tells anything.
 */
@Timeout(90)
class CanaryTest {

    @TempDir
    Path directory;

    /** The secrets, by where they are put. */
    private final Map<String, String> canaries = new LinkedHashMap<>();

    private final List<String> said = new ArrayList<>();

    /** A secret such as people use: no shape but that it looks random. */
    private String canary(String place) {
        return canaries.computeIfAbsent(
                place, any -> "q7Rt" + canaries.size() + "Zp0L2mXw9sKd4vBn8" + place.hashCode());
    }

    /** The upstream fails in each way that it can, and tells a secret of its own each time. */
    private void answer(StubUpstream.Received request, StubUpstream.Line line) throws Exception {
        String body = request.body();
        if (body.contains("\"fails\"")) {
            line.json(500, "{\"error\":\"" + canary("body of an error") + "\"}");
        } else if (body.contains("\"hangs-up\"")) {
            line.hangUp();
        } else if (body.contains("\"breaks-off\"")) {
            line.head("text/event-stream");
            line.chunk("data: {\"token\":\"" + canary("stream that breaks off") + "\"}\n\n");
            line.hangUp();
        } else if (request.requestLine().contains("plain")) {
            String text = "password=" + canary("text of an error") + " " + canary("more text of an error");
            line.send("HTTP/1.1 503 X\r\nContent-Type: text/plain\r\nContent-Length: " + text.length() + "\r\n\r\n"
                    + text);
        } else {
            String result = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"password\":\"" + canary("result, by name")
                    + "\",\"text\":\"it is " + canary("result, by look") + "\"}}";
            line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: sid="
                    + canary("cookie of the upstream")
                    + "\r\nMcp-Session-Id: " + canary("session of the upstream")
                    + "\r\nWWW-Authenticate: Bearer x=\"" + canary("challenge of the upstream")
                    + "\"\r\nContent-Length: " + result.length() + "\r\n\r\n" + result);
        }
    }

    /** Sends a request and keeps the answer if Weir itself has made it. */
    private void ask(RunningWeir weir, String request) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(request);
            Wire.Head head = wire.head();
            String text = "";
            try {
                text = wire.body(head);
            } catch (IOException e) {
                // Broken off, as it should be.
            }
            boolean upstreams = text.contains("\"result\"")
                    || text.startsWith("data:")
                    || text.contains(canary("body of an error"));
            if (!upstreams) {
                said.add(String.join("\n", head.lines()) + "\n" + text);
            }
        }
    }

    private void everySecretInItsPlace(RunningWeir weir) throws IOException {
        String arguments = "{\"password\":\"" + canary("argument, by name") + "\",\"nested\":{\"api_key\":[\""
                + canary("argument, nested") + "\"]},\"text\":\"use " + canary("argument, by look") + "\"}";
        String good = call(1, "T1").replace("{}", arguments + ",\"_meta\":{\"auth\":\"" + canary("meta") + "\"}");
        String cookies =
                "Cookie: a=1; session=" + canary("cookie") + "\r\nX-Custom: " + canary("another header") + "\r\n";
        ask(weir, post(K1, good, cookies));
        ask(weir, post(canary("bad key"), good, cookies));
        ask(weir, post("eyJhbGciOiJSUzI1NiJ9.eyJ4IjoxfQ." + canary("bad token"), good));
        String pair = Base64.getEncoder()
                .encodeToString(("ann:" + canary("password of Basic")).getBytes(StandardCharsets.UTF_8));
        canaries.put("Basic, encoded", pair);
        ask(weir, post("x", good).replace("Bearer x", "Basic " + pair));
        ask(weir, post("x", good).replace("Authorization: Bearer x", "X-API-Key: " + canary("X-API-Key")));
        ask(
                weir,
                post(K1, good)
                        .replace(
                                "/mcp HTTP",
                                "/mcp?api_key=" + canary("query") + "&token=" + canary("query token") + "&sessionId="
                                        + canary("query session") + "&" + canary("query alone") + " HTTP"));
        ask(weir, post(K1, good, "Mcp-Session-Id: " + canary("session") + "\r\n"));
        ask(weir, post(K1, "{\"password\":\"" + canary("unreadable body") + "\",,}"));
        ask(weir, post(K1, "{\"token\":\"" + canary("oversized body") + "\",\"x\":\"" + "x".repeat(1 << 20) + "\"}"));
        ask(
                weir,
                post("", "{\"token\":\"" + canary("expected body") + "\"}", "Expect: 100-continue\r\n")
                        .replace("Authorization: Bearer \r\n", ""));
        for (String how : List.of("fails", "hangs-up", "breaks-off")) {
            ask(weir, post(K1, call(1, how).replace("{}", arguments)));
        }
        ask(
                weir,
                "GET /plain/x?key=" + canary("query of a plain route") + " HTTP/1.1\r\nHost: localhost\r\n"
                        + "Authorization: Bearer " + K1 + "\r\n\r\n");
        ask(weir, post(K1, good, "Host: evil.example\r\n").replaceFirst("Host: localhost\r\n", ""));
        // Banned, so that there is evidence.
        for (int i = 0; i < 13; i++) {
            ask(weir, post(K1, good, cookies));
        }
        try (Wire wire = weir.wire()) {
            String request = post(K1, good, "X-Late: " + canary("client that breaks off") + "\r\n");
            wire.send(request.substring(0, request.length() - 20));
            wire.leave();
        }
    }

    private List<String> settings(String secret) {
        return List.of(
                "mcp.debug",
                "true",
                "mcp.alert.webhook-url",
                "http://127.0.0.1:1/hook/" + canary("address of a webhook"),
                "mcp.alert.webhook-secret",
                canary("secret of a webhook"),
                "mcp.secrets.up",
                secret,
                "mcp.log.response-headers",
                "set-cookie,mcp-session-id,www-authenticate,content-type,x-request-id");
    }

    private static String tables(RunningWeir weir) {
        StringBuilder all = new StringBuilder();
        weir.database()
                .useHandle(handle -> handle.createQuery(
                                "SELECT table_name FROM information_schema.tables WHERE LOWER(table_schema) = 'public'")
                        .mapTo(String.class)
                        .forEach(table -> handle.createQuery("SELECT * FROM \"" + table + "\"")
                                .mapToMap()
                                .forEach(row -> all.append(table).append(row).append('\n'))));
        return all.toString();
    }

    private String files() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                all.append(path).append(Files.readString(path, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    private void assertClean(String where, String text) {
        canaries.forEach((place, canary) ->
                assertThat(text.contains(canary)).as("%s in %s", place, where).isFalse());
        assertThat(text.contains(K1)).as("the good key in " + where).isFalse();
    }

    @Test
    void noSecretIsTold() throws Exception {
        LogCapture log = new LogCapture("json");
        try (StubUpstream upstream = new StubUpstream(this::answer)) {
            String secret = canary("secret of a route");
            try (RunningWeir weir = RunningWeir.startWith(
                    List.of(
                            "INSERT INTO route_header (route, name, content) VALUES ('/mcp', 'Authorization', 'Bearer ${secret.up}')",
                            "INSERT INTO route (prefix, kind, upstream_url) VALUES ('/plain', 'http', '"
                                    + upstream.base() + "/plain')"),
                    directory,
                    upstream.base(),
                    settings(secret).toArray(String[]::new))) {
                everySecretInItsPlace(weir);
                assertThat(upstream.received())
                        .as("the route's secret went up")
                        .anyMatch(request -> request.values("Authorization").contains("Bearer " + secret));
                // A row that names a secret there is not, next to one that there is.
                weir.sql(
                        "INSERT INTO route_header (route, name, content) VALUES ('/plain', 'X-A', '${secret.up}${secret.none}')");
                await().until(() -> log.soFar().contains("policy_rejected"));
                assertClean("/metrics", weir.probe("/metrics"));
                assertClean("/health", weir.probe("/health"));
                assertClean("the database", tables(weir));
                assertThat(tables(weir)).as("there is evidence").contains("client:c1");
            }
        }
        String lines = new String(log.end(), StandardCharsets.UTF_8);
        assertThat(lines)
                .contains("request_body", "response_body", "response_headers", "\"banned\"", "request_repeated");
        for (String line : lines.lines().toList()) {
            assertClean(line, line);
        }
        said.forEach(answer -> assertClean(answer, answer));
        assertClean("files", files());
    }

    @Test
    void aDatabaseThatCannotBeOpenedTellsNeitherItsPasswordNorThatOfItsAddress() throws Exception {
        LogCapture log = new LogCapture("json");
        String address = "jdbc:postgresql://127.0.0.1:1/weir?user=ann&password=" + canary("address of the database");
        try (RunningWeir weir = RunningWeir.start(
                directory, "http://127.0.0.1:1/mcp", "mcp.db.url", address, "mcp.db.password", canary("password"))) {
            await().until(() -> log.soFar().contains("database_away_at_start"));
            assertClean("/ready", weir.probe("/ready"));
            assertClean("/health", weir.probe("/health"));
            assertClean("the reason", String.valueOf(weir.missing()));
        }
        assertClean("the log", new String(log.end(), StandardCharsets.UTF_8));
        Throwable failure = catchThrowable(() -> RunningWeir.start(
                        directory.resolve("other"),
                        "http://127.0.0.1:1/mcp",
                        "mcp.db.url",
                        "jdbc:nonsense://ann:" + canary("no address of a database") + "@x/y")
                .close());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertClean("the failure", cause.toString());
        }
        assertThat(failure).isNotNull();
    }
}
