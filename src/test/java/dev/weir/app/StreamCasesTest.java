package dev.weir.app;

import dev.weir.wire.StreamCases;
import dev.weir.wire.StubUpstream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The cases about streams on the embedded server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StreamCasesTest extends StreamCases {

    private final BlockingQueue<StubUpstream.Behaviour> behaviours = new LinkedBlockingQueue<>();
    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        upstream = upstream(behaviours);
        String url = "'" + upstream.base() + "'";
        List<String> edits = ROUTES.stream()
                .map(row ->
                        "INSERT INTO route " + COLUMNS + " VALUES (" + row.formatted(url) + ") ON CONFLICT DO NOTHING")
                .toList();
        weir = RunningWeir.startWith(
                edits, directory, upstream.base(), "mcp.auth.required", "false", "mcp.rate-limit.burst-size", "10000");
    }

    @AfterAll
    void stop() throws Exception {
        weir.close();
        upstream.close();
    }

    @Override
    protected BlockingQueue<StubUpstream.Behaviour> behaviours() {
        return behaviours;
    }

    @Override
    protected int port() {
        return weir.port();
    }
}
