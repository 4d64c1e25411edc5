package dev.weir.whole;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One run of the official conformance suite against a server.
 *
 * @param exitCode 0 if all that the suite requires has passed
 * @param scenarios what was checked in each scenario, by its name
 * @param said what the suite printed
 */
record ConformanceRun(int exitCode, Map<String, List<Check>> scenarios, String said) {

    /** The folder in which the suite keeps what it saw in a scenario. */
    private static final Pattern FOLDER = Pattern.compile("server-(.+?)-\\d{4}-\\d{2}-\\d{2}T[-\\d]+Z");

    private static final JsonMapper JSON = new JsonMapper();

    /** Something that a scenario looks at; {@code status} is SUCCESS, FAILURE, WARNING or SKIPPED. */
    record Check(String id, String status, String message) {

        boolean failed() {
            return status.equals("FAILURE");
        }

        /** What must be the same with and without Weir. */
        String outcome() {
            return id + " " + status;
        }

        @Override
        public String toString() {
            return message.isEmpty() ? outcome() : outcome() + ": " + message;
        }
    }

    /**
     * @param suite the npm package of the suite, as it is called in {@code src/test/node/package.json}
     * @param selection the options that say which scenarios are run
     * @param results where the suite writes what it saw; an empty folder, and the suite may write beside it too
     */
    static ConformanceRun of(String suite, List<String> selection, URI url, Path results)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("server", "--url", url.toString(), "-o", results.toString()));
        arguments.addAll(selection);
        NodeScript.Ended ended = NodeScript.runOnNewest(
                results.getParent(), "node_modules/" + suite + "/dist/index.js", arguments.toArray(String[]::new));
        Map<String, List<Check>> scenarios = new TreeMap<>();
        try (Stream<Path> folders = Files.list(results)) {
            for (Path folder : folders.toList()) {
                Matcher name = FOLDER.matcher(folder.getFileName().toString());
                if (!name.matches()) {
                    throw new AssertionError("not a scenario: " + folder);
                }
                scenarios.put(name.group(1), checks(folder.resolve("checks.json")));
            }
        }
        return new ConformanceRun(ended.exitCode(), scenarios, ended.said());
    }

    private static List<Check> checks(Path file) throws IOException {
        List<Check> checks = new ArrayList<>();
        for (JsonNode check : JSON.readTree(Files.readString(file))) {
            String status = check.path("status").asString();
            // What the suite only notes down, such as each event of a stream.
            if (!status.equals("INFO")) {
                String message = check.path("errorMessage").asString("");
                checks.add(new Check(check.path("id").asString(), status, message));
            }
        }
        return checks;
    }

    /** How many scenarios have no check that failed. */
    long passed() {
        return scenarios.values().stream()
                .filter(checks -> checks.stream().noneMatch(Check::failed))
                .count();
    }

    /** How many checks there were, of those that passed or failed. */
    long checksWith(String status) {
        return scenarios.values().stream()
                .flatMap(List::stream)
                .filter(check -> check.status().equals(status))
                .count();
    }

    /** For people: scenarios and checks. */
    String counts() {
        return "%d of %d scenarios (%d checks passed, %d failed)"
                .formatted(passed(), scenarios.size(), checksWith("SUCCESS"), checksWith("FAILURE"));
    }
}
