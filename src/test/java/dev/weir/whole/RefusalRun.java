package dev.weir.whole;

import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.whole.RefusalCell.Client;
import dev.weir.whole.RefusalTask.Done;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.opentest4j.TestAbortedException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends every client of the refusal matrix through one Weir, all kinds of client at the same time. */
final class RefusalRun {

    private static final JsonMapper JSON = new JsonMapper();

    /** A bit longer than a ban, a cool-down and the way of a token back into its bucket, which all take a second here. */
    private static final int PAUSE_MS = 1_200;

    private static final List<String> TOOLS = List.of("echo", "get_time", "inspect_table_schema", "export_report");

    private final Path directory;
    private final List<RefusalTask> tasks = new ArrayList<>();

    private RefusalRun(Path directory) {
        this.directory = directory;
    }

    /** What came of one cell: what its client saw, and what Weir saw of it. */
    record Seen(Done done, int handshakes, int toolCalls, int streams) {}

    /** Runs all cells, those of the TypeScript clients only where there is Node.js. Answers what came of them by their ids. */
    static Map<String, Seen> run(Path directory) throws Exception {
        return new RefusalRun(directory).run();
    }

    static boolean nodeRan(Map<String, Seen> seen) {
        return RefusalCell.all().anyMatch(cell -> cell.client().needsNode() && seen.containsKey(cell.id()));
    }

    private Map<String, Seen> run() throws Exception {
        try (ModernServer modern = ModernServer.start(TOOLS);
                WeirProcess weir = WeirProcess.demo(directory)) {
            long loaded = weir.policiesLoaded();
            WeirProcess.Run sql = WeirProcess.run(directory, Map.of(), "sql", policy(weir, modern));
            if (sql.exitCode() != 0) {
                throw new AssertionError("the policy could not be written: " + sql);
            }
            await("the policy is in force").until(() -> weir.policiesLoaded() > loaded);
            List<Done> done = clients();
            weir.stop();
            List<JsonNode> log = weir.stdout().stream()
                    .filter(line -> line.startsWith("{"))
                    .map(JSON::readTree)
                    .filter(line -> line.path("event").asString("").matches("request_(end|error)"))
                    .toList();
            return done.stream().collect(Collectors.toMap(Done::cell, one -> seen(one, log)));
        }
    }

    private static Seen seen(Done done, List<JsonNode> log) {
        Map<String, Integer> sent = new HashMap<>();
        for (JsonNode line : log) {
            if (line.path("principal").asString("").equals("client:" + done.cell())) {
                String http = line.path("method").asString();
                sent.merge(line.path("mcp_method").asString(http), 1, Integer::sum);
            }
        }
        int handshakes = sent.getOrDefault("initialize", 0) + sent.getOrDefault("server/discover", 0);
        return new Seen(done, handshakes, sent.getOrDefault("tools/call", 0), sent.getOrDefault("GET", 0));
    }

    /** The rows that make the matrix: a route for each form and era, two small tiers, and a client for each cell. */
    private String policy(WeirProcess weir, ModernServer modern) {
        List<String> sql = new ArrayList<>();
        sql.add("INSERT INTO setting (name, content) VALUES ('ban.threshold', '1'), ('ban.duration_seconds', '1'),"
                + " ('ban.count', 'every')");
        sql.add("INSERT INTO tool_tier (name, rate_per_second, burst, cooldown_seconds)"
                + " VALUES ('cooling', 1, 1, 1), ('spare', 1, 1, 0)");
        for (RefusalCell.Form form : RefusalCell.Form.values()) {
            String route =
                    "INSERT INTO route (prefix, upstream_url, refusal_form) SELECT '/%s/%s', %s, '%2$s' FROM route"
                            + " WHERE prefix = '/mcp'";
            sql.add(route.formatted("legacy", form.setting(), "upstream_url"));
            sql.add(route.formatted("modern", form.setting(), "'" + modern.url() + "'"));
        }
        sql.add(
                "INSERT INTO tool (route, name, tier, enabled) SELECT route.prefix, t.name, t.tier, t.enabled FROM route,"
                        + " (VALUES ('echo', 'light', TRUE), ('get_time', 'spare', TRUE), ('inspect_table_schema', 'cooling', TRUE),"
                        + " ('export_report', 'light', FALSE)) AS t (name, tier, enabled) WHERE route.prefix <> '/mcp'");
        SecureRandom random = new SecureRandom();
        RefusalCell.all().forEach(cell -> {
            RefusalTask task = task(cell, weir.url() + cell.route(), ApiKey.make(random));
            tasks.add(task);
            sql.add("INSERT INTO client (id, name) VALUES ('%s', 'matrix')".formatted(cell.id()));
            sql.add("INSERT INTO client_key (sha256, client) VALUES ('%s', '%s')"
                    .formatted(ApiKey.digest(task.key()), cell.id()));
        });
        return String.join(";\n", sql);
    }

    private static RefusalTask task(RefusalCell cell, String url, String key) {
        RefusalCell.Refusal refusal = cell.refusal();
        return new RefusalTask(
                cell.id(), cell.client().name(), url, key, refusal.tool, refusal.refusals(), refusal.next(), PAUSE_MS);
    }

    private List<Done> clients() throws Exception {
        List<Callable<List<Done>>> kinds = List.of(
                () -> here(Client.JAVA_2, ClassicJavaClient::connect),
                () -> here(Client.JAVA_2_MODERN, ModernJavaClient::connect),
                this::olderJava,
                this::node);
        ExecutorService threads = Executors.newFixedThreadPool(kinds.size());
        try {
            List<Done> all = new ArrayList<>();
            for (Future<List<Done>> kind : threads.invokeAll(kinds)) {
                all.addAll(kind.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Done> here(Client client, Function<RefusalTask, RefusedClient> connect) throws InterruptedException {
        return RefusedClient.all(of(client::equals), connect);
    }

    private List<Done> olderJava() throws Exception {
        try (ChildProcess process = ClassicJavaClient.older(directory, of(Client.JAVA_1::equals))) {
            int exitCode = process.awaitEnd(Duration.ofMinutes(2));
            return read(exitCode, process.stdout(), process.said());
        }
    }

    private List<Done> node() throws Exception {
        try {
            Path file = RefusalTask.write(directory.resolve("node.json"), of(Client::needsNode));
            NodeScript.Ended ended = NodeScript.run("refusals.mjs", file.toString());
            return read(ended.exitCode(), ended.stdout(), ended.said());
        } catch (TestAbortedException noNode) {
            return List.of();
        }
    }

    private List<RefusalTask> of(Predicate<Client> client) {
        return tasks.stream()
                .filter(task -> client.test(Client.valueOf(task.client())))
                .toList();
    }

    private static List<Done> read(int exitCode, List<String> lines, String said) {
        if (exitCode != 0) {
            throw new AssertionError("the clients gave up" + said);
        }
        return lines.stream()
                .filter(line -> line.startsWith("{"))
                .map(line -> JSON.readValue(line, Done.class))
                .toList();
    }
}
