package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.weir.whole.ConformanceRun.Check;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance suite against a server of ours, directly and through Weir: with Weir in between each scenario ends as
 * it does without.
 */
@Timeout(180)
class ConformanceIT {

    /** The suite in both of its lines; the older one knows of no choice of a revision that would change what it sends. */
    private static final List<Selection> SELECTIONS = List.of(
            new Selection("conformance-0.1", "2025-11-25", "--suite", "all"),
            new Selection("conformance-0.2", "2025-03-26", "--suite", "all", "--spec-version", "2025-03-26"),
            new Selection("conformance-0.2", "2025-06-18", "--suite", "all", "--spec-version", "2025-06-18"),
            new Selection("conformance-0.2", "2025-11-25", "--suite", "all", "--spec-version", "2025-11-25"),
            new Selection("conformance-0.2", "2026-07-28", "--requirements", "2026-07-28"));

    @TempDir
    static Path directory;

    private static NodeServer fixture;
    private static WeirProcess weir;

    /** Which scenarios a run of the suite has. */
    private record Selection(String suite, String revision, List<String> options) {

        Selection(String suite, String revision, String... options) {
            this(suite, revision, List.of(options));
        }

        @Override
        public String toString() {
            return suite + ", " + revision;
        }

        ConformanceRun run(URI url) throws Exception {
            return ConformanceRun.of(suite, options, url, Files.createTempDirectory(directory, "results"));
        }
    }

    @BeforeAll
    static void putWeirBeforeTheFixture() throws Exception {
        fixture = NodeServer.fixture();
        weir = OpenWeir.before(Files.createDirectory(directory.resolve("weir")), Map.of("/mcp", fixture.url()));
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

    @TestFactory
    Stream<DynamicNode> throughWeirIsAsDirect() {
        return SELECTIONS.stream().map(selection -> {
            try {
                ConformanceRun direct = selection.run(fixture.url());
                ConformanceRun through = selection.run(weir.url().resolve("/mcp"));
                System.out.println("conformance: " + selection + ": direct " + direct.counts() + ", through Weir "
                        + through.counts());
                return DynamicContainer.dynamicContainer(
                        selection.toString(), Stream.concat(Stream.of(whole(direct, through)), each(direct, through)));
            } catch (Exception e) {
                throw new AssertionError(selection + " could not be run", e);
            }
        });
    }

    private static DynamicTest whole(ConformanceRun direct, ConformanceRun through) {
        return dynamicTest("the suite is content", () -> {
            assertThat(direct.scenarios()).as(direct.said()).isNotEmpty();
            assertThat(through.scenarios().keySet())
                    .isEqualTo(direct.scenarios().keySet());
            assertThat(direct.exitCode()).as(direct.said()).isZero();
            assertThat(through.exitCode()).as(through.said()).isZero();
            // The suite is content although a scenario that is not required fails.
            assertThat(direct.checksWith("FAILURE")).as(direct.said()).isZero();
        });
    }

    private static Stream<DynamicTest> each(ConformanceRun direct, ConformanceRun through) {
        Map<String, List<Check>> seen = through.scenarios();
        return direct.scenarios().entrySet().stream()
                .map(scenario -> dynamicTest(
                        scenario.getKey(),
                        () -> assertThat(seen.getOrDefault(scenario.getKey(), List.of()))
                                .as("through Weir, while directly it was %s", scenario.getValue())
                                .extracting(Check::outcome)
                                .containsExactlyElementsOf(scenario.getValue().stream()
                                        .map(Check::outcome)
                                        .toList())));
    }
}
