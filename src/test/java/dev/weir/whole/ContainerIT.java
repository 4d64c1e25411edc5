package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.StrictJson;
import dev.weir.run.demo.DemoServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The WAR in the servlet containers that people have, as they are distributed. */
@Timeout(180)
class ContainerIT {

    @TempDir
    Path directory;

    @Test
    void worksInTomcat() throws Exception {
        try (DemoServer upstream = DemoServer.start();
                ContainerProcess tomcat =
                        ContainerProcess.tomcat(directory.resolve("base"), war(), settings(upstream))) {
            tomcat.awaitReady();
            proxiesAndLimits(tomcat.url());
            servesNothingOfItself(tomcat.url());
            tomcat.stop();
            logsAreTheContainers(tomcat);
        }
    }

    @Test
    void worksInJetty() throws Exception {
        try (DemoServer upstream = DemoServer.start();
                ContainerProcess jetty = ContainerProcess.jetty(directory.resolve("base"), war(), settings(upstream))) {
            jetty.awaitReady();
            proxiesAndLimits(jetty.url());
            servesNothingOfItself(jetty.url());
            jetty.stop();
            logsAreTheContainers(jetty);
        }
    }

    private static Path war() {
        return Path.of(System.getProperty("weir.war"));
    }

    private Map<String, String> settings(DemoServer upstream) {
        Path data = directory.resolve("data");
        return Map.of(
                "MCP_UPSTREAM",
                upstream.url().toString(),
                "MCP_AUTH_REQUIRED",
                "false",
                "MCP_DATA_DIR",
                data.toString(),
                "MCP_DB_URL",
                "jdbc:h2:file:" + data.resolve("weir"));
    }

    private static void proxiesAndLimits(URI url) throws Exception {
        RawClient client = RawClient.connect(url, Map.of());
        assertThat(client.request("tools/list").message().at("/result/tools").findValuesAsString("name"))
                .contains("echo", "export_report");
        assertThat(client.echo().message().at("/result/content/0/text").asString())
                .contains("hello");

        RawClient.Answer report = client.call("export_report", "why", "end of month");
        assertThat(report.admitted()).as("%s", report).isTrue();
        assertThat(report.lead("notifications/progress"))
                .as("progress comes while the report is made, not with it")
                .isGreaterThan(Duration.ofMillis(100));

        echoIsHeldToTheDefaultTier(client);
    }

    /** Tools that nobody registered share a bucket of 20 that gets 10 tokens back a second. */
    private static void echoIsHeldToTheDefaultTier(RawClient client) throws Exception {
        long start = System.nanoTime();
        int admitted = 0;
        RawClient.Answer answer = client.echo();
        while (answer.admitted() && admitted < 300) {
            admitted++;
            answer = client.echo();
        }
        assertThat(answer.code()).as("%s", answer).isEqualTo(-32029);
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(admitted).isBetween(15, (int) (20 + 10 * seconds));
    }

    private static void servesNothingOfItself(URI url) throws Exception {
        HttpResponse<String> unknown = get(url, "/nowhere");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.headers().firstValue("Content-Type").orElse("")).startsWith("application/json");
        assertThat(unknown.body()).contains("route_not_found");
        for (String path : List.of("/dev/weir/run/Main.class", "/WEB-INF/web.xml", "/META-INF/MANIFEST.MF")) {
            assertThat(get(url, path).statusCode()).as(path).isEqualTo(404);
        }
    }

    /** Weir's lines on the container's output, up to the last, and no word of a second logging library or of threads left behind. */
    private static void logsAreTheContainers(ContainerProcess container) {
        List<String> lines =
                container.stdout().stream().filter(line -> line.startsWith("{")).toList();
        assertThat(lines)
                .allSatisfy(StrictJson::line)
                .anyMatch(line -> line.contains("\"event\":\"request_end\"") && line.contains("\"bytes\":"));
        assertThat(lines.get(lines.size() - 1)).contains("\"event\":\"stopped\"");
        assertThat(Stream.concat(container.stdout().stream(), container.stderr().stream()))
                .filteredOn(line -> !line.startsWith("{"))
                .noneMatch(line -> line.contains("SLF4J") || line.contains("logback") || line.contains("memory leak"));
    }

    private static HttpResponse<String> get(URI url, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(url.resolve(path))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
