package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.log.StrictJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a real process writes to its standard output, in both forms, and what becomes of its calls when nobody reads it. */
@Timeout(120)
class LogIT {

    @TempDir
    Path directory;

    private static HttpResponse<String> get(URI url) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(10)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void jsonLinesAreObjectsAndTheLastIsWrittenAtTheEnd() throws Exception {
        try (WeirProcess weir = WeirProcess.start(directory, Map.of("MCP_AUTH_REQUIRED", "false"))) {
            weir.awaitReady();
            get(weir.url().resolve("/nowhere?token=abc"));
            weir.stop();
            List<String> lines =
                    weir.stdout().stream().filter(line -> line.startsWith("{")).toList();
            assertThat(lines).allSatisfy(StrictJson::line);
            assertThat(lines.get(lines.size() - 1)).contains("\"event\":\"stopped\"");
            assertThat(lines)
                    .anyMatch(line -> line.contains("request_end") && line.contains("\"query\":\"token=***\""));
            assertThat(weir.stderr()).as("nothing of logback or SLF4J").isEmpty();
        }
    }

    @Test
    void textIsForPeopleAlsoWithTheDemo() throws Exception {
        try (WeirProcess weir = WeirProcess.start(directory, Map.of("MCP_LOG_FORMAT", "text"), "--demo")) {
            weir.awaitReady();
            get(weir.url().resolve("/nowhere"));
            weir.stop();
            assertThat(weir.stdout())
                    .noneMatch(line -> line.startsWith("{"))
                    .anyMatch(line ->
                            line.matches("\\S+Z INFO  request_start request_id=\\S+ method=GET path=/nowhere .*"))
                    .anyMatch(line -> line.matches("\\S+Z INFO  stopped"));
        }
    }

    @Test
    void anotherFormatOrNoNameOfAHeaderStopsTheStartWithOneLine() throws Exception {
        WeirProcess.Run run = WeirProcess.run(directory, Map.of("MCP_LOG_FORMAT", "xml"));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.stderr()).containsExactly("weir: mcp.log.format must be json or text, not [xml]");
        run = WeirProcess.run(directory, Map.of("MCP_LOG_RESPONSE_HEADERS", "a b"));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.stderr()).containsExactly("weir: mcp.log.response-headers: [a b] is no name of a header field");
    }

    /** Far more than a pipe and the queue hold, and nobody reads any of it. */
    @Test
    void callsAreServedWhileNobodyReadsTheLogAndTheMissingLinesAreCounted() throws Exception {
        int port = ChildProcess.freePort();
        ProcessBuilder builder = new ProcessBuilder(
                        ChildProcess.java(), "-jar", System.getProperty("weir.war"), "--port", "" + port)
                .directory(directory.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("MCP_"));
        builder.environment().putAll(Map.of("MCP_AUTH_REQUIRED", "false", "MCP_RATE_LIMIT_ENABLED", "false"));
        Process process = builder.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + port + "/");
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> get(url.resolve("ready")).statusCode() == 200);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest call = HttpRequest.newBuilder(url.resolve("nowhere"))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            int calls = 0;
            while (calls < 20_000 && (calls % 500 != 0 || dropped(url) == 0)) {
                assertThat(client.send(call, HttpResponse.BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(404);
                calls++;
            }
            assertThat(dropped(url)).isPositive();
        } finally {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }

    private static double dropped(URI url) throws Exception {
        return get(url.resolve("metrics"))
                .body()
                .lines()
                .filter(line -> line.startsWith("weir_log_lines_dropped_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
