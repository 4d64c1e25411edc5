package dev.weir.whole;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A servlet container as it is distributed, with a base directory of its own and one WAR as its root application. */
final class ContainerProcess implements AutoCloseable {

    private final ChildProcess process;
    private final int port;

    private ContainerProcess(ChildProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts Tomcat from the distribution in {@code weir.tomcat}, and does not wait for it. */
    static ContainerProcess tomcat(Path base, Path war, Map<String, String> environment) throws IOException {
        Path home = Path.of(System.getProperty("weir.tomcat"));
        for (String folder : List.of("conf", "logs", "temp", "work", "webapps")) {
            Files.createDirectories(base.resolve(folder));
        }
        try (Stream<Path> files = Files.list(home.resolve("conf"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, base.resolve("conf").resolve(file.getFileName()), REPLACE_EXISTING);
            }
        }
        int port = ChildProcess.freePort();
        Path serverXml = base.resolve("conf/server.xml");
        String asDistributed = Files.readString(serverXml);
        String ours = asDistributed
                .replace("<Server port=\"8005\"", "<Server port=\"-1\"")
                .replace("<Connector port=\"8080\"", "<Connector address=\"127.0.0.1\" port=\"" + port + "\"");
        Files.writeString(serverXml, ours);
        Files.copy(war, base.resolve("webapps/ROOT.war"), REPLACE_EXISTING);

        Map<String, String> all = new HashMap<>(environment);
        all.put("JRE_HOME", System.getProperty("java.home"));
        all.put("CATALINA_HOME", home.toString());
        all.put("CATALINA_BASE", base.toString());
        List<String> command = List.of("sh", home.resolve("bin/catalina.sh").toString(), "run");
        return new ContainerProcess(ChildProcess.start(command, base, all), port);
    }

    /** Starts Jetty with its ee10 environment from the distribution in {@code weir.jetty}, and does not wait for it. */
    static ContainerProcess jetty(Path base, Path war, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> start = List.of(
                ChildProcess.java(), "-jar", System.getProperty("weir.jetty") + "/start.jar", "jetty.base=" + base);
        Files.createDirectories(base);
        List<String> addModules = with(start, "--add-modules=server,http,ee10-deploy");
        try (ChildProcess modules = ChildProcess.start(addModules, base, Map.of())) {
            if (modules.awaitEnd(Duration.ofSeconds(60)) != 0) {
                throw new AssertionError("Jetty did not take its modules" + modules.said());
            }
        }
        Files.copy(war, base.resolve("webapps/ROOT.war"), REPLACE_EXISTING);
        int port = ChildProcess.freePort();
        List<String> run = with(start, "jetty.http.host=127.0.0.1", "jetty.http.port=" + port);
        return new ContainerProcess(ChildProcess.start(run, base, environment), port);
    }

    private static List<String> with(List<String> command, String... more) {
        return Stream.concat(command.stream(), Stream.of(more)).toList();
    }

    ContainerProcess awaitReady() throws InterruptedException {
        process.awaitReady(port);
        return this;
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    List<String> stdout() {
        return process.stdout();
    }

    List<String> stderr() {
        return process.stderr();
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
