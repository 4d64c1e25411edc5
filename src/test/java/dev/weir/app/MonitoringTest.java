package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard and the alert rules under docs/monitoring ask for numbers that exist and that move. */
@Timeout(60)
class MonitoringTest {

    private static final Path RULES = Path.of("docs/monitoring/alerts.yml");
    private static final Path DASHBOARD = Path.of("docs/monitoring/dashboard.json");

    /** Numbers that stay as they are for as long as a process lives. */
    private static final Set<String> CONSTANT = Set.of("weir_start_time_seconds", "weir_memory_max_bytes");

    /** Numbers that move only where something is broken that is not broken here: which test breaks it, and what it asks for. */
    private static final Map<String, List<String>> MOVED_ELSEWHERE = Map.of(
            "weir_database_up", List.of("app/DatabaseAwayTest", "weir_database_up"),
            "weir_write_queue_length", List.of("app/DatabaseAwayTest", "weir_write_queue_length"),
            "weir_throttle_rows_dropped_total", List.of("app/DroppedThrottlesTest", "keeper.dropped()"),
            "weir_change_listener_up", List.of("app/AwayAtStartTest", "weir_change_listener_up"),
            "weir_issuer_up", List.of("app/TokenTest", "weir_issuer_up"),
            "weir_upstream_up", List.of("app/UpstreamsInForceTest", "weir_upstream_up"),
            "weir_principals_overflowed_total", List.of("limit/AccountsTest", "buckets.overflowed()).isOne()"),
            "weir_strikes_uncounted_total", List.of("ban/BanBookTest", "book.uncounted()).isEqualTo(10)"));

    @TempDir
    Path directory;

    private final CountDownLatch held = new CountDownLatch(1);

    private void answer(StubUpstream.Received request, StubUpstream.Line line) throws Exception {
        if (request.requestLine().contains("/sick")) {
            line.json(503, "{}");
            return;
        }
        if (request.body().contains("held")) {
            held.await();
        }
        line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    }

    private static Set<String> asked() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path file : List.of(RULES, DASHBOARD)) {
            names.addAll(Pattern.compile("weir_[a-z_]+")
                    .matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .collect(Collectors.toSet()));
        }
        return names;
    }

    /** All series of a metric with their values. */
    private static Map<String, String> series(Scrape scrape, String metric) {
        return scrape.answer()
                .body()
                .lines()
                .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.lastIndexOf(' ')),
                        line -> line.substring(line.lastIndexOf(' '))));
    }

    private static String send(Wire wire, String key, String body, String path) throws IOException {
        wire.send(post(key, body).replace("POST /mcp", "POST " + path));
        return wire.answer().body();
    }

    private static void makeTraffic(RunningWeir weir) throws IOException {
        try (Wire wire = weir.wire()) {
            String answer;
            do {
                answer = send(wire, K1, call(1, "T1"), "/mcp");
            } while (!answer.contains("\"banned\""));
            for (int i = 0; i < 3; i++) {
                send(wire, K2, call(1, "shady"), "/mcp");
                send(wire, K2, call(1, "T1"), "/sick");
            }
            do {
                wire.send(post("nobody's key", call(1, "T1")));
            } while (wire.answer().status() != 429);
        }
    }

    @Test
    void everyNumberThatTheyAskForExistsAndMoves() throws Exception {
        try (StubUpstream upstream = new StubUpstream(this::answer);
                RunningWeir weir = RunningWeir.startWith(
                        List.of(
                                "INSERT INTO route (prefix, upstream_url, breaker_failures) VALUES ('/sick', '"
                                        + upstream.base() + "/sick', 1)",
                                "INSERT INTO tool_tier (name, rate_per_second, burst, mode) VALUES ('shade', 0, 0, 'shadow')",
                                "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'shady', 'shade')"),
                        directory,
                        upstream.base());
                Wire waiting = weir.wire()) {
            Scrape before = Scrape.of(weir);
            makeTraffic(weir);
            waiting.send(post(K2, call(1, "held")));
            weir.sql(
                    "UPDATE route SET upstream_url = 'http://127.0.0.1:1/${secret.nobody-has-it}' WHERE prefix = '/sick'");
            await().until(() -> Scrape.of(weir).value("weir_policy_in_force") == 0);
            await().until(() -> Scrape.of(weir).value("weir_exchanges{kind=\"call\"}") == 1);
            Scrape after = Scrape.of(weir);
            held.countDown();
            for (String metric : asked()) {
                if (MOVED_ELSEWHERE.containsKey(metric)) {
                    List<String> where = MOVED_ELSEWHERE.get(metric);
                    assertThat(Path.of("src/test/java/dev/weir", where.get(0) + ".java"))
                            .as(metric)
                            .content()
                            .contains(where.get(1));
                } else {
                    assertThat(series(after, metric)).as(metric).isNotEmpty();
                }
                if (!MOVED_ELSEWHERE.containsKey(metric) && !CONSTANT.contains(metric)) {
                    assertThat(series(after, metric)).as(metric).isNotEqualTo(series(before, metric));
                }
            }
        }
    }

    /** Each rule has a place in the runbook, under its own name. */
    @Test
    void everyRuleIsInTheRunbook() throws IOException {
        String runbook = Files.readString(Path.of("docs/runbook.md"));
        Set<String> rules = Pattern.compile("- alert: (\\w+)")
                .matcher(Files.readString(RULES))
                .results()
                .map(rule -> rule.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(rules).isNotEmpty().allSatisfy(rule -> assertThat(runbook).contains("\n### " + rule + "\n"));
        Stream<String> links = Pattern.compile("runbook\\.md#(\\w+)")
                .matcher(Files.readString(RULES))
                .results()
                .map(link -> link.group(1));
        assertThat(links.toList())
                .containsExactlyInAnyOrderElementsOf(rules.stream()
                        .map(rule -> rule.toLowerCase(java.util.Locale.ROOT))
                        .toList());
    }
}
