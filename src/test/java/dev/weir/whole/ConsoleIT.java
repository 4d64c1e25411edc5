package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an operator does with the console, in a real browser, with agents that call meanwhile. The script fails if the browser
 * complains of anything, asks another host, or if axe-core finds something serious on any page.
 */
@Timeout(360)
class ConsoleIT {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String TOKEN = "the-admin-token-of-tests";

    @TempDir
    Path directory;

    @Test
    void everyModuleIsSound() throws Exception {
        NodeScript.Ended checked = NodeScript.run("console-check.mjs");

        assertThat(checked.exitCode()).as(checked.said()).isZero();
    }

    @Test
    void anOperatorSeesAStormStopsItAndProvesItAfterwards() throws Exception {
        Path chromium = Programs.find("chromium", "what an operator does with the console");
        // Where pictures of the pages are wanted, they are left there: -Dweir.pictures=FOLDER.
        String pictures = System.getProperty("weir.pictures", "");
        if (!pictures.isEmpty()) {
            Files.createDirectories(Path.of(pictures));
        }
        Map<String, String> environment = Map.of("MCP_AUTH_REQUIRED", "true", "MCP_ADMIN_TOKEN", TOKEN);
        try (WeirProcess weir =
                        WeirProcess.start(directory, environment, "--demo").awaitReady();
                ChildProcess script = NodeScript.start(
                        "console.mjs",
                        chromium.toString(),
                        "http://localhost:" + weir.port(),
                        TOKEN,
                        weir.key("demo-agent"),
                        weir.key("demo-dashboard"),
                        pictures)) {
            int exitCode = script.awaitEnd(Duration.ofMinutes(5));

            assertThat(exitCode).as(script.said()).isZero();
            assertThat(script.stdout())
                    .extracting(line -> JSON.readTree(line).get("step").asString())
                    .containsExactly(
                            "loggingIn",
                            "watching",
                            "lifting",
                            "banning",
                            "changingATier",
                            "beingTooLate",
                            "setting",
                            "reading",
                            "usingTheKeyboard",
                            "beingAViewer",
                            "loggingOut",
                            "lookAround");
        }
    }
}
