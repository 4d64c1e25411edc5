package dev.weir.whole;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program that a test has started: what it says, line by line, and how it ends.
 *
 * <p>It inherits the environment of the test, but none of Weir's own settings and no options for a JVM. Whoever starts
 * one closes it, which kills it. Safe for use by many threads.
 */
final class ChildProcess implements AutoCloseable {

    private static final Duration READY_WITHIN = Duration.ofSeconds(30);
    private static final Duration STOPS_WITHIN = Duration.ofSeconds(30);

    private static final int FIRST_PORT = 14_000;
    private static final int PORTS_OF_A_FORK = 3_000;

    /** From somewhere, because what the run before has left may linger. */
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS_OF_A_FORK));

    private final Process process;
    private final List<String> stdout = new CopyOnWriteArrayList<>();
    private final List<String> stderr = new CopyOnWriteArrayList<>();
    private final List<Thread> readers;

    private ChildProcess(Process process) {
        this.process = process;
        this.readers = List.of(collect(process.getInputStream(), stdout), collect(process.getErrorStream(), stderr));
    }

    /** Starts {@code command} in {@code directory}, with {@code environment} on top of the inherited one. */
    static ChildProcess start(List<String> command, Path directory, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().keySet().removeIf(ChildProcess::wouldChangeTheChild);
        builder.environment().putAll(environment);
        try {
            return new ChildProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean wouldChangeTheChild(String variable) {
        return variable.startsWith("MCP_")
                || variable.startsWith("OTEL_")
                || variable.startsWith("CATALINA_")
                || List.of(
                                "JAVA_TOOL_OPTIONS",
                                "JDK_JAVA_OPTIONS",
                                "_JAVA_OPTIONS",
                                "JAVA_OPTS",
                                "JAVA_HOME",
                                "JRE_HOME")
                        .contains(variable);
    }

    /** The {@code java} that runs this test, so that a second pass on another JDK tries the product there too. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * A port of 127.0.0.1 that was free just now. It is none of those that the system gives to outgoing connections, and other JVMs of
     * this build are given other ones, so that nobody takes it before the program that it is for.
     */
    static int freePort() {
        int fork = Integer.getInteger("weir.fork", 1);
        for (int tries = 0; tries < PORTS_OF_A_FORK; tries++) {
            int port = FIRST_PORT + fork * PORTS_OF_A_FORK + NEXT_PORT.getAndIncrement() % PORTS_OF_A_FORK;
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Somebody else's.
            }
        }
        throw new AssertionError("no port is free from " + (FIRST_PORT + fork * PORTS_OF_A_FORK) + " on");
    }

    List<String> stdout() {
        return List.copyOf(stdout);
    }

    List<String> stderr() {
        return List.copyOf(stderr);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until {@code /ready} on that port answers 200; fails with all that was said if the process ends or takes too long. */
    void awaitReady(int port) throws InterruptedException {
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest ready = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ready"))
                .timeout(Duration.ofSeconds(5))
                .build();
        long start = System.nanoTime();
        String last = "nothing listens";
        while (System.nanoTime() - start < READY_WITHIN.toNanos()) {
            try {
                HttpResponse<String> answer = http.send(ready, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() == 200) {
                    return;
                }
                last = answer.statusCode() + " " + answer.body();
            } catch (IOException e) {
                last = e.toString();
            }
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new AssertionError(
                        "ended with exit code " + awaitEnd(STOPS_WITHIN) + " before it was ready" + said());
            }
        }
        throw new AssertionError("not ready after " + READY_WITHIN.toSeconds() + " s, last: " + last + said());
    }

    /** Waits for the process to end by itself, and for its last words; returns its exit code. */
    int awaitEnd(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("still running after " + timeout.toSeconds() + " s" + said());
        }
        for (Thread reader : readers) {
            reader.join(STOPS_WITHIN.toMillis());
        }
        return process.exitValue();
    }

    /** Ends the process as a pulled plug would (SIGKILL), and returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd(STOPS_WITHIN);
    }

    /** Asks the process to end (SIGTERM), and returns its exit code. */
    int stop() throws InterruptedException {
        // Not by the process itself, which would close the streams before the last words.
        process.toHandle().destroy();
        return awaitEnd(STOPS_WITHIN);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** All that the process has said so far, for the message of a failed test. */
    String said() {
        return "\n--- stdout\n" + String.join("\n", stdout) + "\n--- stderr\n" + String.join("\n", stderr);
    }

    private static Thread collect(InputStream stream, List<String> lines) {
        Thread reader = new Thread(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                in.lines().forEach(lines::add);
            } catch (IOException | UncheckedIOException e) {
                // A killed process closes its streams while they are read.
                lines.add("(" + e.getMessage() + ")");
            }
        });
        reader.setDaemon(true);
        reader.start();
        return reader;
    }
}
