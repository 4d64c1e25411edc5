package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** A real Prometheus collects Weir's numbers, takes the rules of docs/monitoring, and has an answer to every query of the dashboard. */
@Timeout(180)
class PrometheusIT {

    private static final ObjectMapper JSON = new JsonMapper();
    private static final Path MONITORING = Path.of("docs/monitoring").toAbsolutePath();

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private int port;

    @Test
    void theRulesAreRules() throws Exception {
        Path promtool = Programs.find("promtool", "what Prometheus says of the alert rules");
        String rules = MONITORING.resolve("alerts.yml").toString();
        try (ChildProcess check =
                ChildProcess.start(List.of(promtool.toString(), "check", "rules", rules), directory, Map.of())) {
            assertThat(check.awaitEnd(Duration.ofSeconds(60)))
                    .as(() -> String.join("\n", check.stderr()))
                    .isZero();
        }
    }

    @Test
    void everyQueryOfTheDashboardHasAnAnswerAndABanRaisesAnAlert() throws Exception {
        Path prometheus = Programs.find("prometheus", "what Prometheus makes of Weir's numbers");
        Path home = Files.createDirectories(directory.resolve("prometheus"));
        try (WeirProcess weir = WeirProcess.demo(Files.createDirectories(directory.resolve("weir")));
                ChildProcess collector = start(prometheus, home, weir.port())) {
            long loaded = weir.policiesLoaded();
            WeirProcess.Run shadow = WeirProcess.run(
                    directory.resolve("weir"),
                    Map.of(),
                    "sql",
                    "UPDATE tool_tier SET mode = 'shadow', burst = 0," + " rate_per_second = 0 WHERE name = 'light'");
            assertThat(shadow.exitCode()).as("%s", shadow).isZero();
            weir.awaitPolicy(loaded);
            await("Prometheus has asked Weir")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> collector.isAlive() && answers("weir_policy_in_force"));
            String key = weir.key("demo-agent");
            await("the ban is an alert").atMost(Duration.ofSeconds(90)).until(() -> {
                // Again and again, so that all rates have something to tell of.
                for (int i = 0; i < 8; i++) {
                    call(weir, key, "inspect_table_schema");
                    call(weir, key, "echo");
                }
                return get("/api/v1/alerts").toString().contains("\"WeirBan\"");
            });
            for (String query : queries()) {
                await(query).atMost(Duration.ofSeconds(30)).until(() -> {
                    call(weir, key, "inspect_table_schema");
                    call(weir, key, "echo");
                    return answers(query);
                });
            }
            JsonNode groups = get("/api/v1/rules").at("/data/groups");
            assertThat(groups.findValues("name").size()).isGreaterThan(10);
            assertThat(groups.findValues("health"))
                    .allSatisfy(health -> assertThat(health.asString()).isEqualTo("ok"));
        }
    }

    private ChildProcess start(Path prometheus, Path home, int weir) throws IOException {
        port = ChildProcess.freePort();
        Path file = Files.writeString(home.resolve("prometheus.yml"), """
                global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
                rule_files: ["%s/alerts.yml"]
                scrape_configs:
                  - job_name: weir
                    static_configs: [{targets: ["127.0.0.1:%d"]}]
                """.formatted(MONITORING, weir));
        return ChildProcess.start(
                List.of(
                        prometheus.toString(),
                        "--config.file=" + file,
                        "--storage.tsdb.path=" + home.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port),
                home,
                Map.of());
    }

    private void call(WeirProcess weir, String key, String tool) throws IOException, InterruptedException {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{}}}";
        http.send(
                HttpRequest.newBuilder(weir.url().resolve("/mcp"))
                        .header("Authorization", "Bearer " + key)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        try {
            return JSON.readTree(
                    http.send(request, HttpResponse.BodyHandlers.ofString()).body());
        } catch (java.net.ConnectException e) {
            return JSON.createObjectNode();
        }
    }

    private boolean answers(String query) throws IOException, InterruptedException {
        JsonNode answer = get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
        return answer.at("/status").asString("").equals("success")
                && !answer.at("/data/result").isEmpty();
    }

    /** The queries of the dashboard, as Grafana would send them. */
    private static List<String> queries() throws IOException {
        List<String> queries = new ArrayList<>();
        for (JsonNode panel : JSON.readTree(Files.readString(MONITORING.resolve("dashboard.json")))
                .at("/panels")) {
            for (JsonNode target : panel.at("/targets")) {
                queries.add(target.at("/expr")
                        .asString()
                        .replace("$__rate_interval", "10s")
                        .replace("$instance", ".*"));
            }
        }
        assertThat(queries).hasSizeGreaterThan(20);
        return queries;
    }
}
