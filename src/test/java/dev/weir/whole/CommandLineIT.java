package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.HookReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the command line answers, above all to mistakes: exit code 2 and one line that names the mistake. */
@Timeout(120)
class CommandLineIT {

    private static final Duration AT_MOST = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @Test
    void helpNamesTheSubcommands() throws Exception {
        WeirProcess.Run run = run(Map.of(), "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(String.join("\n", run.stdout()))
                .contains("storm")
                .contains("sql")
                .contains("key")
                .contains("alert-test");
    }

    @Test
    void versionIsOneLine() throws Exception {
        WeirProcess.Run run = run(Map.of(), "--version");

        assertThat(run.exitCode()).isZero();
        assertThat(run.stdout()).hasSize(1).first().asString().containsPattern("\\d+\\.\\d+");
    }

    @Test
    void anUnknownOptionIsNamed() throws Exception {
        WeirProcess.Run run = run(Map.of(), "--prot", "8080");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(String.join("\n", run.stderr())).contains("--prot").doesNotContain("\tat ");
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "" + taken.getLocalPort();
            refused(run(Map.of(), "--demo", "--port", port), port);
        }
    }

    @Test
    void aMissingSettingsFileIsNamed() throws Exception {
        refused(run(Map.of(), "--conf", "nowhere/weir.properties"), "nowhere/weir.properties");
    }

    @Test
    void anUnknownKeyInTheSettingsFileIsNamed() throws Exception {
        refused(run(Map.of(), "--conf", settings("mcp.prot=8080")), "mcp.prot");
    }

    @Test
    void anUnusableValueInTheSettingsFileIsNamed() throws Exception {
        refused(run(Map.of(), "--conf", settings("mcp.port=abc")), "mcp.port", "abc");
    }

    @Test
    void anUnusableValueInTheEnvironmentIsNamed() throws Exception {
        refused(run(Map.of("MCP_PORT", "99999")), "99999");
    }

    @Test
    void anAlertTestSaysWhatCameOfIt() throws Exception {
        try (HookReceiver good = HookReceiver.good()) {
            Map<String, String> environment = Map.of(
                    "MCP_ALERT_WEBHOOK_URL",
                    good.url("/hook"),
                    "MCP_ALERT_TARGETS_CHAT_URL",
                    "http://127.0.0.1:1/hook",
                    "MCP_ALERT_TARGETS_CHAT_FORMAT",
                    "slack");
            WeirProcess.Run run = run(environment, "alert-test");
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.stdout())
                    .containsExactly("webhook  json      ok", "chat     slack     there is nobody who listens");
            assertThat(run(environment, "alert-test", "--target", "webhook").exitCode())
                    .isZero();
            assertThat(good.received()).hasSize(2);
        }
        refused(run(Map.of(), "alert-test"), "mcp.alert.webhook-url");
    }

    @Test
    void aStopRightAfterTheStartIsCleanAndLeavesNothingUnpackedBehind() throws Exception {
        Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + unpacked);
        try (WeirProcess weir = WeirProcess.start(directory, environment)) {
            weir.awaitReady();
            assertThat(unpacked).isNotEmptyDirectory();
            weir.stop();
            assertThat(weir.stdout()).last().asString().contains("\"event\":\"stopped\"");
            assertThat(weir.stderr())
                    .as("what has not been needed before is still found")
                    .allMatch(line -> line.startsWith("Picked up JAVA_TOOL_OPTIONS"));
        }
        assertThat(unpacked).isEmptyDirectory();
    }

    @Test
    void whatAKilledProcessLeftUnpackedTheNextOneSweepsAway() throws Exception {
        Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
        Path others = Files.createDirectory(unpacked.resolve("weir-of-somebody-else"));
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + unpacked);
        Set<Path> left;
        try (WeirProcess killed = WeirProcess.start(directory, environment)) {
            killed.awaitReady();
            left = folders(unpacked);
            killed.kill();
        }
        assertThat(folders(unpacked)).isEqualTo(left).hasSize(2);
        try (WeirProcess weir = WeirProcess.start(directory, environment)) {
            weir.awaitReady();
            await("the sweeping")
                    .until(() -> folders(unpacked).stream()
                            .filter(left::contains)
                            .toList()
                            .equals(List.of(others)));
            run(environment, "--version");
            assertThat(folders(unpacked)).as("the running one's folder").hasSize(2);
            weir.stop();
        }
        assertThat(folders(unpacked)).containsExactly(others);
    }

    private static Set<Path> folders(Path parent) throws IOException {
        try (Stream<Path> folders = Files.list(parent)) {
            return folders.collect(Collectors.toSet());
        }
    }

    private WeirProcess.Run run(Map<String, String> environment, String... arguments) throws InterruptedException {
        return WeirProcess.run(AT_MOST, directory, environment, arguments);
    }

    private String settings(String line) throws IOException {
        return Files.writeString(directory.resolve("weir.properties"), line + "\n")
                .toString();
    }

    private static void refused(WeirProcess.Run run, String... named) {
        assertThat(run.exitCode()).as("%s", run).isEqualTo(2);
        List<String> plain =
                run.stderr().stream().filter(line -> !line.startsWith("{")).toList();
        assertThat(plain).hasSize(1).first().asString().contains(named);
        assertThat(run.stdout()).noneMatch(line -> line.startsWith("\tat "));
    }
}
