package dev.weir.whole;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Weir as its users start it: {@code java -jar weir.war}, on a free port, in a directory of its own. */
final class WeirProcess implements AutoCloseable {

    private static final Pattern KEY = Pattern.compile("client\\s+(\\S+)\\s+key\\s+(\\S+)");

    private final ChildProcess process;
    private final int port;

    private WeirProcess(ChildProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts Weir and does not wait for it. {@code --port} is added to {@code arguments}. */
    static WeirProcess start(Path directory, Map<String, String> environment, String... arguments) {
        return start(ChildProcess.freePort(), directory, environment, arguments);
    }

    /** The same on a port that had to be known before. */
    static WeirProcess start(int port, Path directory, Map<String, String> environment, String... arguments) {
        String[] withPort = Stream.concat(Stream.of(arguments), Stream.of("--port", "" + port))
                .toArray(String[]::new);
        return new WeirProcess(ChildProcess.start(command(withPort), directory, environment), port);
    }

    /** Weir with its demo server behind it, ready for calls. */
    static WeirProcess demo(Path directory) throws InterruptedException {
        WeirProcess weir = start(directory, Map.of(), "--demo");
        try {
            return weir.awaitReady();
        } catch (InterruptedException | AssertionError e) {
            weir.close();
            throw e;
        }
    }

    /** What came of a run that ended by itself. */
    record Run(int exitCode, List<String> stdout, List<String> stderr) {}

    /** Runs Weir with exactly these arguments until it ends, for at most a minute. */
    static Run run(Path directory, Map<String, String> environment, String... arguments) throws InterruptedException {
        return run(Duration.ofSeconds(60), directory, environment, arguments);
    }

    /** Runs Weir with exactly these arguments; fails if it has not ended after {@code timeout}. */
    static Run run(Duration timeout, Path directory, Map<String, String> environment, String... arguments)
            throws InterruptedException {
        try (ChildProcess process = ChildProcess.start(command(arguments), directory, environment)) {
            int exitCode = process.awaitEnd(timeout);
            return new Run(exitCode, process.stdout(), process.stderr());
        }
    }

    private static List<String> command(String... arguments) {
        return Stream.concat(
                        Stream.of(ChildProcess.java(), "-jar", System.getProperty("weir.war")), Stream.of(arguments))
                .toList();
    }

    WeirProcess awaitReady() throws InterruptedException {
        process.awaitReady(port);
        return this;
    }

    int port() {
        return port;
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** The key of one of the demo's clients, as the demo prints it. */
    String key(String client) {
        return await("the demo prints the key of " + client)
                .until(
                        () -> stdout().stream()
                                .map(KEY::matcher)
                                .filter(Matcher::find)
                                .filter(line -> line.group(1).equals(client))
                                .map(line -> line.group(2))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** How often a policy has been put in force, as the log tells. Asked before an edit, for {@link #awaitPolicy}. */
    long policiesLoaded() {
        return stdout().stream()
                .filter(line -> line.startsWith("{") && line.contains("policy_loaded"))
                .count();
    }

    /** Waits until an edit made after {@code before} was asked is in force; a second is what is promised. */
    void awaitPolicy(long before) {
        await("the edited policy is in force").atMost(Duration.ofSeconds(1)).until(() -> policiesLoaded() > before);
    }

    List<String> stdout() {
        return process.stdout();
    }

    List<String> stderr() {
        return process.stderr();
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        process.kill();
    }

    /** SIGTERM; returns the exit code. */
    int stop() throws InterruptedException {
        return process.stop();
    }

    @Override
    public void close() {
        process.close();
    }
}
