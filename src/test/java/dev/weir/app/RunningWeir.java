package dev.weir.app;

import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.run.EmbeddedServer;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsLoader;
import dev.weir.store.DatabaseSettings;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** A whole Weir in this process: embedded server, H2 file, chain and proxy, on a free port of loopback. */
final class RunningWeir implements AutoCloseable {

    /** The key of the client {@code c1}. */
    static final String K1 = "weir_test-key-of-c1";

    /** The key of the client {@code c2}. */
    static final String K2 = "weir_test-key-of-c2";

    private final EmbeddedServer server;
    private final AtomicReference<Jdbi> database;

    private RunningWeir(EmbeddedServer server, AtomicReference<Jdbi> database) {
        this.server = server;
        this.database = database;
    }

    /** Starts with a route {@code /mcp} to an upstream, the tool T1 in the tier heavy, and two clients. */
    static RunningWeir start(Path dataDir, Object upstream, String... settings) throws Exception {
        return startWith(List.of(), dataDir, upstream, settings);
    }

    /** Starts the same on a database of its own choice, with a policy that was edited before. */
    static RunningWeir on(DatabaseSettings database, Object upstream, String... edits) throws Exception {
        List<String> settings = new ArrayList<>(List.of("mcp.db.url", database.url(), "mcp.db.user", database.user()));
        if (database.password() != null) {
            settings.addAll(List.of("mcp.db.password", database.password()));
        }
        return startWith(List.of(edits), database.dataDir(), upstream, settings.toArray(String[]::new));
    }

    /** Starts the same with a policy that was edited before, so that nothing has to be waited for. */
    static RunningWeir startWith(List<String> edits, Path dataDir, Object upstream, String... settings)
            throws Exception {
        Map<String, String> commandLine = new HashMap<>();
        commandLine.put("mcp.port", "0");
        commandLine.put("mcp.host", "127.0.0.1");
        // So that what a test leaves open does not hold it up.
        commandLine.put("mcp.stop.grace-seconds", "0");
        commandLine.put("mcp.data-dir", dataDir.toString());
        for (int i = 0; i < settings.length; i += 2) {
            commandLine.put(settings[i], settings[i + 1]);
        }
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Settings loaded = new SettingsLoader(Map.of(), Map.of(), warning -> {}).load(null, commandLine);
        AtomicReference<Jdbi> opened = new AtomicReference<>();
        EmbeddedServer server = EmbeddedServer.start(loaded, jdbi -> {
            opened.set(jdbi);
            jdbi.useHandle(handle -> {
                handle.execute(
                        "INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', ?) ON CONFLICT DO NOTHING",
                        upstream.toString());
                handle.execute(
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'T1', 'heavy') ON CONFLICT DO NOTHING");
                for (String[] client : new String[][] {{"c1", K1}, {"c2", K2}}) {
                    handle.execute(
                            "INSERT INTO client (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", client[0], client[0]);
                    handle.execute(
                            "INSERT INTO client_key (sha256, client) VALUES (?, ?) ON CONFLICT DO NOTHING",
                            ApiKey.digest(client[1]),
                            client[0]);
                }
                edits.forEach(handle::execute);
            });
        });
        // Longer than a start waits by itself, because a busy machine may be slow with all those rows.
        await().atMost(Duration.ofSeconds(60)).until(() -> !Opening.UNDER_WAY.equals(server.missing()));
        return new RunningWeir(server, opened);
    }

    int port() {
        return server.port();
    }

    /** Runs SQL on the database, as an operator would. */
    void sql(String statement) {
        database().useHandle(handle -> handle.execute(statement));
    }

    Jdbi database() {
        return Objects.requireNonNull(database.get(), "the database has not been there yet");
    }

    /** Why nobody is served yet; null if all are. */
    @Nullable
    String missing() {
        return server.missing();
    }

    /** What a probe is told: the status and the body. */
    String probe(String path) throws IOException {
        return probeAs(path, "localhost");
    }

    /** What is told of a path to somebody behind a proxy, who shows a token. */
    String forwarded(String path, String token) throws IOException {
        return probeAs(path, "localhost\r\nX-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer " + token);
    }

    /** The same for whoever calls it by another name. */
    String probeAs(String path, String host) throws IOException {
        try (Wire wire = wire()) {
            wire.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            Wire.Answer answer = wire.answer();
            return answer.status() + " " + answer.body();
        }
    }

    /** A connection to the front. */
    Wire wire() throws IOException {
        return new Wire(port());
    }

    /** A POST to {@code /mcp} with a key. */
    static String post(String key, String body, String... moreHeaders) {
        return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                + String.join("", moreHeaders) + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body;
    }

    /** A call of a tool. */
    static String call(Object id, String tool) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{}}}";
    }

    @Override
    public void close() {
        server.close();
    }
}
