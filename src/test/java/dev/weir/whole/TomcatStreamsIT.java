package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StreamCases;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cases about streams in a Tomcat as it is distributed. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TomcatStreamsIT extends StreamCases {

    private final BlockingQueue<StubUpstream.Behaviour> behaviours = new LinkedBlockingQueue<>();
    private StubUpstream upstream;
    private ContainerProcess tomcat;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        upstream = upstream(behaviours);
        Path data = directory.resolve("data");
        tomcat = ContainerProcess.tomcat(
                directory.resolve("base"),
                Path.of(System.getProperty("weir.war")),
                Map.of(
                        "MCP_AUTH_REQUIRED",
                        "false",
                        "MCP_RATE_LIMIT_BURST_SIZE",
                        "10000",
                        "MCP_DATA_DIR",
                        data.toString(),
                        "MCP_DB_URL",
                        "jdbc:h2:file:" + data.resolve("weir")));
        tomcat.awaitReady();
        String url = "'" + upstream.base() + "'";
        String rows = ROUTES.stream().map(row -> "(" + row.formatted(url) + ")").collect(Collectors.joining(", "));
        WeirProcess.Run written =
                WeirProcess.run(directory, Map.of(), "sql", "INSERT INTO route " + COLUMNS + " VALUES " + rows);
        assertThat(written.exitCode()).as("%s", written).isZero();
        behaviours.add((request, line) -> line.json(200, "{}"));
        await().untilAsserted(() -> {
            try (Wire wire = new Wire(port())) {
                wire.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(wire.answer().status()).isEqualTo(200);
            }
        });
    }

    @AfterAll
    void stop() throws Exception {
        tomcat.close();
        upstream.close();
    }

    @Override
    protected BlockingQueue<StubUpstream.Behaviour> behaviours() {
        return behaviours;
    }

    @Override
    protected int port() {
        return tomcat.url().getPort();
    }
}
