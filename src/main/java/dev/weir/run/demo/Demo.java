package dev.weir.run.demo;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * All that {@code --demo} adds: the demo server behind a route, its tools registered, and two clients with keys. Puts their
 * rows into the database, again at each start, because the demo server has another port each time.
 */
public final class Demo implements Consumer<Jdbi> {

    private static final Map<String, String> TOOL_TIERS = Map.of(
            "echo", "light",
            "get_time", "light",
            "inspect_table_schema", "heavy",
            "export_report", "standard");

    private final DemoServer server;
    private final DemoKeys keys;

    private Demo(DemoServer server, DemoKeys keys) {
        this.server = server;
        this.keys = keys;
    }

    /** Starts the demo server and finds or makes the clients' keys. */
    public static Demo start(Path dataDir) throws Exception {
        DemoKeys keys = DemoKeys.keep(dataDir);
        return new Demo(DemoServer.start(), keys);
    }

    @Override
    public void accept(Jdbi database) {
        database.useTransaction(handle -> {
            insert(handle, "route", "prefix, upstream_url", "/mcp", server.url().toString());
            handle.execute(
                    "UPDATE route SET upstream_url = ? WHERE prefix = '/mcp'",
                    server.url().toString());
            TOOL_TIERS.forEach((tool, tier) -> insert(handle, "tool", "route, name, tier", "/mcp", tool, tier));
            keys.digests().forEach((client, digest) -> {
                insert(handle, "client", "id, name", client, client);
                insert(handle, "client_key", "sha256, client, label", digest, client, "demo");
            });
        });
    }

    /** Says what there is to try. */
    public void explain(String url, PrintStream out) {
        keys.keys().forEach((client, key) -> out.printf("  client %-16s key %s%n", client, key));
        String agent = keys.keys().get(DemoKeys.AGENT);
        out.println("Try:");
        out.println("  java -jar target/weir.war storm --url " + url + "/mcp --tool inspect_table_schema --rate 140"
                + " --seconds 5 --key " + agent);
        out.println("  java -jar target/weir.war sql \"SELECT principal, reason, expires_at FROM ban\"");
        out.println(
                "  java -jar target/weir.war sql \"UPDATE tool_tier SET rate_per_second = 50, burst = 100 WHERE name ="
                        + " 'heavy'\"");
    }

    /** Inserts a row unless there is one of its key: what an operator has changed since stays changed. */
    private static void insert(Handle handle, String table, String columns, Object... values) {
        String marks = "?" + ", ?".repeat(values.length - 1);
        handle.execute(
                "INSERT INTO " + table + " (" + columns + ") VALUES (" + marks + ") ON CONFLICT DO NOTHING", values);
    }
}
