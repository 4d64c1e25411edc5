package dev.weir.bench.seeing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One Weir in a process of its own, with its own way of being seen. */
final class Subject implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofMinutes(2);

    private final String name;
    private final Process process;
    private final int port;

    private Subject(String name, Process process, int port) {
        this.name = name;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one and waits until it is ready.
     *
     * @param options     for the JVM
     * @param environment besides what all of them get
     */
    static Subject start(String name, String war, Ends ends, List<String> options, Map<String, String> environment)
            throws IOException, InterruptedException {
        int port = freePort();
        Path directory = Files.createTempDirectory("weir-bench");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(options);
        command.addAll(List.of("-jar", war, "--port", Integer.toString(port)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(variable -> variable.startsWith("OTEL_") || variable.startsWith("MCP_"));
        builder.environment()
                .putAll(Map.of(
                        "MCP_UPSTREAM",
                        ends.upstream(),
                        "MCP_AUTH_REQUIRED",
                        "false",
                        "MCP_RATE_LIMIT_ENABLED",
                        "false",
                        "MCP_DATA_DIR",
                        directory.toString()));
        builder.environment().putAll(environment);
        // To a file, which is cheap and never full; a container's collector of logs may cost more.
        File log = directory.resolve("log").toFile();
        Process process = builder.redirectOutput(log).start();
        Subject subject = new Subject(name, process, port);
        long began = System.nanoTime();
        while (!subject.isReady()) {
            if (!process.isAlive() || System.nanoTime() - began > LONGEST_START.toNanos()) {
                subject.close();
                throw new IOException(name + " does not start: " + Files.readString(log.toPath()));
            }
            Thread.sleep(100);
        }
        return subject;
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    /** The processor time that it has used. */
    Duration cpu() {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private boolean isReady() {
        try {
            HttpURLConnection ask = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + "/ready").toURL().openConnection();
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(ask.getInputStream(), StandardCharsets.UTF_8))) {
                in.readLine();
            }
            return ask.getResponseCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
