package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the documents do what they say: they are run as they stand there. */
class AdminExamplesTest {

    @TempDir
    Path dir;

    @Test
    void thoseOfThePolicyAreRunAgainstARunningWeir() throws Exception {
        assumeThat(Path.of("/usr/bin/curl")).isExecutable();
        String section = Files.readString(Path.of("docs/admin.md"))
                .split("\n## Policy\n", -1)[1]
                .split("\n## ", 2)[0];
        String examples = section.split("```sh\n", -1)[1].split("```", 2)[0];
        assertThat(examples.split("\ncurl ", -1)).hasSizeGreaterThan(10);
        try (RunningWeir weir = RunningWeir.start(dir, "http://127.0.0.1:1/", "mcp.admin.token", AdminClient.TOKEN)) {
            String script = "set -e\nTOKEN=" + AdminClient.TOKEN
                    + "\ncurl() { command curl --silent --show-error --fail-with-body --noproxy '*' \"$@\"; echo; }\n"
                    + examples.replace("localhost:8080", "127.0.0.1:" + weir.port());
            Path output = dir.resolve("output");
            Process shell = new ProcessBuilder("sh", "-c", script)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
            String said = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(shell.exitValue()).as(said).isZero();
            assertThat(said).contains("\"burst\":3", "\"key\":\"weir_", "\"content\":\"8\"", "\"mode\":\"shadow\"");
            assertThat(new AdminClient(weir).get("/v1/tiers/exports").status()).isEqualTo(404);
        }
    }
}
