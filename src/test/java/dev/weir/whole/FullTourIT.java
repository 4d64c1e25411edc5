package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The official clients through Weir to a server that has everything: lists, calls with progress and log messages, questions of
 * the server, prompts, resources that are watched, completion, and the end of a call and of a session.
 */
@Timeout(120)
class FullTourIT {

    @TempDir
    static Path directory;

    private static ConformanceFixture fixture;
    private static WeirProcess weir;

    @BeforeAll
    static void putWeirBeforeTheFixture() throws Exception {
        // The Java SDK 1.1 takes a stream with a retry field for broken.
        fixture = ConformanceFixture.start("no-retry");
        weir = fixture.behindWeir(Files.createDirectory(directory.resolve("weir")));
    }

    @AfterAll
    static void stop() {
        if (weir != null) {
            weir.close();
        }
        if (fixture != null) {
            fixture.close();
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
        int before = fixture.endedSessions();

        NodeScript.Ended tour = mode == null
                ? NodeScript.run(script, endpoint().toString())
                : NodeScript.run(script, mode, endpoint().toString());

        assertThat(tour.exitCode()).as(tour.said()).isZero();
        assertThat(tour.stdout()).last().asString().contains(sessions == 1 ? "\"terminate\"" : "\"cancel\"");
        assertThat(fixture.endedSessions()).isEqualTo(before + sessions);
    }

    @Test
    void ofTheJavaClient() throws Exception {
        int before = fixture.endedSessions();

        ClassicJavaTour.take(endpoint());

        assertThat(fixture.endedSessions()).isEqualTo(before + 1);
    }

    @Test
    void ofTheJavaClientOfTheGenerationBefore() throws Exception {
        int before = fixture.endedSessions();

        try (ChildProcess tour = ClassicJavaClient.older(
                directory, ClassicJavaTour.class, endpoint().toString())) {
            assertThat(tour.awaitEnd(Duration.ofSeconds(60))).as(tour.said()).isZero();
        }

        assertThat(fixture.endedSessions()).isEqualTo(before + 1);
    }

    @Test
    void ofTheJavaClientOfTheModernEra() throws Exception {
        ModernJavaTour.take(endpoint());
    }

    private static URI endpoint() {
        return weir.url().resolve("/mcp");
    }
}
