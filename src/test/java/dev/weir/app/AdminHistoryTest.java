package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the admin API tells of throttles and of changes by operators, as lists, sums and files. */
class AdminHistoryTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String HEADER = "X-Upstream-Key";

    @TempDir
    static Path dir;

    private static RunningWeir weir;
    private static AdminClient admin;
    private static AdminClient operator;
    private static AdminClient viewer;

    @BeforeAll
    static void start() throws Exception {
        weir = RunningWeir.start(dir, "http://127.0.0.1:1/", "mcp.admin.token", AdminClient.TOKEN);
        admin = new AdminClient(weir);
        operator = new AdminClient(weir, "key-of-olaf");
        viewer = new AdminClient(weir, "key-of-eve");
        for (String statement : List.of(
                "INSERT INTO client (id, name, role) VALUES ('olaf', 'O', 'operator'), ('eve', 'E', 'viewer')",
                "INSERT INTO client_key (client, sha256) VALUES ('olaf', '" + ApiKey.digest("key-of-olaf")
                        + "'), ('eve', '" + ApiKey.digest("key-of-eve") + "')",
                "INSERT INTO route_header (route, name, content) VALUES ('/mcp', '" + HEADER + "', 'hunter2')",
                "UPDATE route_header SET content = 'Bearer ${secret.a}'",
                "UPDATE route_header SET content = '${secret.a}'",
                "DELETE FROM route_header",
                "INSERT INTO throttle_event (happened_at, principal, route, tool, level, calls, node)"
                        + " SELECT TIMESTAMP WITH TIME ZONE '2026-11-30 12:00:00+00', 'client:c' || MOD(n, 3), '/mcp',"
                        + " '=1+' || n, 'tool', n, 'n1' FROM generate_series(1, 2500) AS numbers (n)",
                "INSERT INTO throttle_event (happened_at, principal, level, calls, decision)"
                        + " VALUES (TIMESTAMP WITH TIME ZONE '2026-11-30 13:00:00+00', 'address:192.0.2.1', 'unproven', 9,"
                        + " 'would_throttle')")) {
            weir.sql(statement);
        }
        await().until(() -> viewer.get("/v1/events").status() == 200
                && operator.get("/v1/events").status() == 200);
    }

    @AfterAll
    static void stop() {
        weir.close();
    }

    private static JsonNode items(String path) throws Exception {
        AdminClient.Reply reply = viewer.get(path);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.json().path("items");
    }

    @Test
    void throttlesAreReadToTheirEndPageByPage() throws Exception {
        List<Long> calls = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = viewer.get("/v1/throttles?decision=throttled&limit=500" + next)
                    .json();
            page.path("items").forEach(row -> calls.add(row.path("calls").asLong()));
            next = page.has("next") ? "&after=" + page.path("next").asString() : null;
        } while (next != null);
        assertThat(calls).hasSize(2_500).doesNotHaveDuplicates();
        assertThat(items("/v1/throttles")).hasSize(50);
        JsonNode latest = items("/v1/throttles?limit=1").get(0);
        assertThat(latest.path("happened_at").asString()).isEqualTo("2026-11-30T13:00:00.000Z");
        assertThat(latest.path("level").asString()).isEqualTo("unproven");
        assertThat(latest.path("decision").asString()).isEqualTo("would_throttle");
    }

    @Test
    void throttlesAreFiltered() throws Exception {
        assertThat(items("/v1/throttles?decision=would_throttle")).hasSize(1);
        assertThat(items("/v1/throttles?level=unproven&principal=address:192.0.2.1"))
                .hasSize(1);
        assertThat(items("/v1/throttles?tool=%3D1%2B7&route=/mcp&node=n1&principal=client:c1"))
                .hasSize(1);
        assertThat(items("/v1/throttles?tool=%3D1%2B7&node=n2")).isEmpty();
        assertThat(items("/v1/throttles?from=2026-11-30T12:00:01Z&until=2026-11-30T13:00:01Z"))
                .hasSize(1);
    }

    @Test
    void throttlesAreSummedUp() throws Exception {
        JsonNode who = items("/v1/throttles/sums?by=principal&decision=throttled");
        assertThat(who).hasSize(3);
        assertThat(who.get(0).toString()).isEqualTo("{\"principal\":\"client:c1\",\"calls\":1042917}");
        JsonNode tools = items("/v1/throttles/sums?by=tool");
        assertThat(tools).hasSize(500);
        assertThat(tools.get(0).toString()).isEqualTo("{\"route\":\"/mcp\",\"tool\":\"=1+2500\",\"calls\":2500}");
        assertThat(items("/v1/throttles/sums?by=route").get(0).path("route").asString())
                .isEqualTo("/mcp");
        assertThat(items("/v1/throttles/sums?by=level")).hasSize(2);
        assertThat(items("/v1/throttles/sums?by=time&step=hour").toString())
                .isEqualTo("[{\"at\":\"2026-11-30T12:00:00.000Z\",\"calls\":3126250},"
                        + "{\"at\":\"2026-11-30T13:00:00.000Z\",\"calls\":9}]");
        assertThat(items("/v1/throttles/sums?by=time&step=day")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/throttles/sums",
                "/v1/throttles/sums?by=node",
                "/v1/throttles/sums?by=tool&step=day",
                "/v1/throttles/sums?by=time&step=week",
                "/v1/throttles?level=odd",
                "/v1/throttles?decision=odd",
                "/v1/throttles?after=MjAyNi0xMS0zMFQxMjowMDowMFogeA",
                "/v1/throttles/export?format=xls",
                "/v1/throttles/export?limit=3",
                "/v1/events?action=odd",
                "/v1/events?until=now"
            })
    void whatCannotBeAskedIsRefused(String path) throws Exception {
        AdminClient.Reply reply = viewer.get(path);
        assertThat(reply.status()).as(reply.body()).isEqualTo(400);
        assertThat(reply.json().path("errors")).isNotEmpty();
    }

    @Test
    void aFileHasAllRowsAndNothingThatASpreadsheetRuns() throws Exception {
        AdminClient.Reply file = viewer.get("/v1/throttles/export?decision=throttled");
        assertThat(file.header("Content-Type")).startsWith("text/csv");
        assertThat(file.header("Content-Disposition"))
                .matches("attachment; filename=\"weir-throttles-[0-9]{8}T[0-9]{6}Z\\.csv\"");
        List<String> lines = List.of(file.body().split("\r\n"));
        assertThat(lines).hasSize(2_501);
        assertThat(lines.get(0)).isEqualTo("id,happened_at,principal,route,tool,level,decision,calls,node");
        assertThat(lines.subList(1, lines.size()))
                .allSatisfy(line -> assertThat(line).contains(",/mcp,'=1+"));
        List<String> json = viewer.get("/v1/throttles/export?format=jsonl&decision=throttled")
                .body()
                .lines()
                .toList();
        assertThat(json).hasSize(2_500);
        assertThat(JSON.readTree(json.get(0)).path("tool").asString()).startsWith("=1+");
    }

    @Test
    void bansAndChangesAreFilesToo() throws Exception {
        weir.sql(
                "INSERT INTO ban (id, principal, reason, strikes, evidence, expires_at) VALUES ('b1', 'client:c1', '@me',"
                        + " 6, '[{\"at\":\"2026-11-30T12:00:00Z\",\"route\":\"/mcp\",\"tool\":\"T1\",\"level\":\"tool\"}]',"
                        + " TIMESTAMP '2999-01-01 00:00:00')");
        String bans = viewer.get("/v1/bans/export").body();
        assertThat(bans).startsWith("id,state,principal,").contains("b1,active,client:c1,tools,'@me,");
        assertThat(bans).contains("\"[{\"\"at\"\":\"\"2026-11-30T12:00:00.000Z\"\"");
        JsonNode ban = JSON.readTree(
                viewer.get("/v1/bans/export?format=jsonl&principal=client:c1").body());
        assertThat(ban.path("evidence")).hasSize(1);
        assertThat(viewer.get("/v1/bans/b1").json().path("evidence")).hasSize(1);
        assertThat(viewer.get("/v1/events/export").body())
                .startsWith("id,happened_at,changed_by,action,table_name,row_name,before,after\r\n");
    }

    @Test
    void whatMayBeASecretIsShownToAdminsOnly() throws Exception {
        String path = "/v1/events?table=route_header";
        List<String> hidden =
                List.of("null/…", "…/Bearer ${secret.a}", "Bearer ${secret.a}/${secret.a}", "${secret.a}/null");
        for (AdminClient client : List.of(viewer, operator)) {
            assertThat(contents(client.get(path).json())).containsExactlyElementsOf(hidden);
            for (String format : List.of("csv", "jsonl")) {
                assertThat(client.get("/v1/events/export?format=" + format).body())
                        .contains("route_header")
                        .doesNotContain("hunter2");
            }
        }
        assertThat(contents(admin.get(path).json()))
                .containsExactly(
                        "null/hunter2",
                        "hunter2/Bearer ${secret.a}",
                        "Bearer ${secret.a}/${secret.a}",
                        "${secret.a}/null");
        assertThat(admin.get("/v1/events/export").body()).contains("hunter2");
    }

    /** The contents before and after each change, the earliest first. */
    private static List<String> contents(JsonNode events) {
        List<String> contents = new ArrayList<>();
        for (JsonNode event : events.path("items")) {
            contents.add(0, content(event.path("before")) + "/" + content(event.path("after")));
        }
        return contents;
    }

    private static String content(JsonNode row) {
        return row.isNull() ? "null" : row.path("content").asString();
    }

    @Test
    void changesAreFiltered() throws Exception {
        assertThat(items("/v1/events?table=route_header&action=update")).hasSize(2);
        assertThat(items("/v1/events?row=/mcp%20" + HEADER)).hasSize(4);
        assertThat(items("/v1/events?by=nobody")).isEmpty();
        JsonNode page = viewer.get("/v1/events?table=route_header&limit=3").json();
        assertThat(items("/v1/events?table=route_header&limit=3&after="
                        + page.path("next").asString()))
                .hasSize(1);
    }
}
