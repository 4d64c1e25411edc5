package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * The official clients through Weir to a server that has everything: lists, calls with progress and log messages, questions of
 * the server, prompts, resources that are watched, completion, and the end of a call and of a session.
 */
@Timeout(120)
class FullTourIT {

    private static final JsonMapper JSON = new JsonMapper();

    private static final String INSPECTOR =
            "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

    @TempDir
    static Path directory;

    private static NodeServer fixture;
    private static NodeServer everything;
    private static NodeServer everythingOnSse;
    private static WeirProcess weir;

    @BeforeAll
    static void putWeirBeforeTheServers() throws Exception {
        // The Java SDK 1.1 takes a stream with a retry field for broken.
        fixture = NodeServer.fixture("no-retry");
        everything = NodeServer.everything("streamableHttp");
        everythingOnSse = NodeServer.everything("sse");
        weir = OpenWeir.before(
                Files.createDirectory(directory.resolve("weir")),
                Map.of(
                        "/mcp",
                        fixture.url(),
                        "/everything/http",
                        everything.url(),
                        "/everything/sse",
                        everythingOnSse.url()));
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable started : Arrays.asList(weir, everythingOnSse, everything, fixture)) {
            if (started != null) {
                started.close();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "full-tour-sdk.mjs, , 1",
        "full-tour-client.mjs, legacy, 1",
        "full-tour-client.mjs, auto, 0",
        "full-tour-client.mjs, modern, 0"
    })
    void ofTheTypeScriptClients(String script, String mode, int sessions) throws Exception {
        int before = endedSessions();

        NodeScript.Ended tour = mode == null
                ? NodeScript.run(script, endpoint().toString())
                : NodeScript.run(script, mode, endpoint().toString());

        assertThat(tour.exitCode()).as(tour.said()).isZero();
        assertThat(tour.stdout()).last().asString().contains(sessions == 1 ? "\"terminate\"" : "\"cancel\"");
        assertThat(endedSessions()).isEqualTo(before + sessions);
    }

    @Test
    void ofTheJavaClient() throws Exception {
        int before = endedSessions();

        ClassicJavaTour.take(endpoint());

        assertThat(endedSessions()).isEqualTo(before + 1);
    }

    @Test
    void ofTheJavaClientOfTheGenerationBefore() throws Exception {
        int before = endedSessions();

        try (ChildProcess tour = ClassicJavaClient.older(
                directory, ClassicJavaTour.class, endpoint().toString())) {
            assertThat(tour.awaitEnd(Duration.ofSeconds(60))).as(tour.said()).isZero();
        }

        assertThat(endedSessions()).isEqualTo(before + 1);
    }

    @Test
    void ofTheJavaClientOfTheModernEra() throws Exception {
        ModernJavaTour.take(endpoint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "sse"})
    void ofTheTypeScriptClientToServerEverything(String transport) throws Exception {
        URI url = weir.url().resolve("/everything/" + transport);

        NodeScript.Ended tour = NodeScript.run("everything-tour.mjs", transport, url.toString());

        assertThat(tour.exitCode()).as(tour.said()).isZero();
        assertThat(tour.stdout()).last().isEqualTo("{\"done\":true}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "auto", "modern"})
    void ofTheInspectorsCommandLine(String era) throws Exception {
        NodeScript.Ended list = inspect(era, "--method", "tools/list");
        NodeScript.Ended call = inspect(era, "--method", "tools/call", "--tool-name", "test_simple_text");

        assertThat(list.exitCode()).as(list.said()).isZero();
        assertThat(JSON.readTree(String.join("\n", list.stdout())).get("tools").valueStream())
                .extracting(tool -> tool.get("name").asString())
                .contains("test_simple_text", "test_tool_with_progress");
        assertThat(call.exitCode()).as(call.said()).isZero();
        assertThat(JSON.readTree(String.join("\n", call.stdout()))
                        .at("/content/0/text")
                        .asString())
                .isEqualTo("This is a simple text response for testing.");
    }

    private static NodeScript.Ended inspect(String era, String... arguments) throws Exception {
        List<String> all =
                new ArrayList<>(List.of("--cli", endpoint().toString(), "--transport", "http", "--protocol-era", era));
        all.addAll(List.of(arguments));
        return NodeScript.runOnNewest(directory, INSPECTOR, all.toArray(String[]::new));
    }

    /** How many legacy sessions of the fixture their clients have ended so far. */
    private static int endedSessions() throws Exception {
        HttpRequest count =
                HttpRequest.newBuilder(fixture.url().resolve("/ended-sessions")).build();
        return Integer.parseInt(
                HttpClient.newHttpClient().send(count, BodyHandlers.ofString()).body());
    }

    private static URI endpoint() {
        return weir.url().resolve("/mcp");
    }
}
