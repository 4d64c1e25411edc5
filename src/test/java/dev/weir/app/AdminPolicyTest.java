package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.ApiKey;
import dev.weir.rest.Segment;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The policy by the admin API: each operation and each refusal, on a running Weir, and in force when it is answered. */
class AdminPolicyTest {

    private static final String MCP = Segment.of("/mcp");

    @TempDir
    static Path dir;

    private static StubUpstream upstream;
    private static RunningWeir weir;
    private static AdminClient admin;
    private static AdminClient operator;
    private static AdminClient viewer;

    @BeforeAll
    static void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        List<String> edits = new ArrayList<>();
        for (String role : List.of("viewer", "operator")) {
            edits.add("INSERT INTO client (id, name, role) VALUES ('" + role + "', 'x', '" + role + "')");
            edits.add("INSERT INTO client_key (client, sha256) VALUES ('" + role + "', '" + ApiKey.digest(role + "-key")
                    + "')");
        }
        weir = RunningWeir.startWith(
                edits, dir, upstream.base(), "mcp.admin.token", AdminClient.TOKEN, "mcp.secrets.up", "the-secret");
        admin = new AdminClient(weir);
        operator = new AdminClient(weir, "operator-key");
        viewer = new AdminClient(weir, "viewer-key");
    }

    @AfterAll
    static void stop() throws Exception {
        weir.close();
        upstream.close();
    }

    private static AdminClient.Reply post(String path, String body) throws Exception {
        return admin.ask("POST", path, body.replace('\'', '"'));
    }

    private static AdminClient.Reply patch(String path, String body, String etag) throws Exception {
        return admin.ask("PATCH", path, body.replace('\'', '"'), "If-Match", etag);
    }

    private static AdminClient.Reply delete(String path) throws Exception {
        return admin.ask("DELETE", path, null, "If-Match", admin.get(path).header("ETag"));
    }

    private static List<String> faults(AdminClient.Reply reply) {
        return reply.faults();
    }

    private static String code(AdminClient.Reply reply) {
        return reply.code();
    }

    /** What every table takes, and a change of it; of some only a part. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tiers         | {'name':'t1','rate_per_second':0.5,'burst':2}                        | {'burst':3,'mode':'shadow'}
            routes        | {'prefix':'/r1','upstream_url':'http://127.0.0.1:1/x'}                | {'rate_per_second':1.5,'burst':2,'enabled':false}
            route-targets | {'route':'/mcp','url':'http://127.0.0.1:2/mcp','enabled':false}       | {'enabled':true}
            route-headers | {'route':'/mcp','name':'X-One','content':'Bearer ${secret.up}'}       | {'content':'plain'}
            tools         | {'route':'/mcp','name':'tool one','tier':'light'}                     | {'cost':2,'scopes':'a b','access':'listed'}
            clients       | {'id':'n1','name':'New'}                                              | {'exempt':true,'name':'Newer'}
            client-tokens | {'content':'https://app.example/x','client':'c1'}                     | {'client':'c2'}
            client-routes | {'client':'c1','route':'/mcp'}                                        | {'tools':'all','allowed':false}
            client-tools  | {'client':'c1','route':'/mcp','tool':'T1'}                            | {'tier':'light'}
            settings      | {'name':'ban.forget_days','content':'6'}                              | {'content':'5'}
            """)
    void rowsOfEveryTableAreMadeReadListedChangedAndDeleted(String table, String row, String change) throws Exception {
        AdminClient.Reply made = post("/v1/" + table, row);
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        String self = made.json().path("self").asString();
        assertThat(made.header("Location")).isEqualTo("/admin/api" + self);
        assertThat(made.header("ETag"))
                .isEqualTo(made.json().path("etag").asString())
                .startsWith("\"");
        assertThat(code(post("/v1/" + table, row))).isEqualTo("409 exists");
        AdminClient.Reply read = admin.get(self);
        assertThat(read.json()).isEqualTo(made.json());
        assertThat(viewer.get("/v1/" + table + "?limit=500").body()).contains("\"" + self + "\"");

        assertThat(code(admin.ask("PATCH", self, change.replace('\'', '"')))).isEqualTo("428 if_match_needed");
        assertThat(code(patch(self, change, "\"other\""))).isEqualTo("412 changed_meanwhile");
        assertThat(admin.get(self).json())
                .as("a refused change changes nothing")
                .isEqualTo(read.json());
        AdminClient.Reply changed = patch(self, change, read.header("ETag"));
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        assertThat(changed.header("ETag")).isNotEqualTo(read.header("ETag"));
        assertThat(admin.get(self).json()).isEqualTo(changed.json());
        assertThat(code(patch(self, change, read.header("ETag"))))
                .as("the lost update")
                .isEqualTo("412 changed_meanwhile");

        for (AdminClient other : List.of(viewer, operator)) {
            assertThat(other.ask("PATCH", self, change.replace('\'', '"'), "If-Match", "*")
                            .status())
                    .isEqualTo(403);
            assertThat(other.ask("DELETE", self, null, "If-Match", "*").status())
                    .isEqualTo(403);
        }
        assertThat(code(admin.ask("DELETE", self, null))).isEqualTo("428 if_match_needed");
        assertThat(code(admin.ask("DELETE", self, null, "If-Match", read.header("ETag"))))
                .isEqualTo("412 changed_meanwhile");
        assertThat(delete(self).status()).isEqualTo(204);
        assertThat(events(made.json())).startsWith("admin delete", "admin update", "admin insert");
        if (!table.equals("settings")) {
            assertThat(code(admin.get(self))).isEqualTo("404 not_found");
            assertThat(code(patch(self, change, "*"))).isEqualTo("404 not_found");
            assertThat(code(admin.ask("DELETE", self, null, "If-Match", "*"))).isEqualTo("404 not_found");
        }
    }

    /** Who has done what to the row of an answer, the latest first. */
    private static List<String> events(JsonNode item) {
        String[] self = item.path("self").asString().split("/", -1);
        List<String> names = new ArrayList<>();
        for (int i = 3; i < self.length; i++) {
            names.add(Segment.name(self[i]));
        }
        return weir.database()
                .withHandle(handle -> handle.createQuery(
                                "SELECT changed_by || ' ' || action FROM admin_event WHERE row_name = ? ORDER BY id DESC")
                        .bind(0, String.join(" ", names))
                        .mapTo(String.class)
                        .list());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tiers   | {'name':'x','rate_per_second':-1,'burst':2}                   | rate_per_second : -1 : must be at least 0
            tiers   | {'name':'x','rate_per_second':1e400,'burst':2}                | rate_per_second : * : must be a number
            tiers   | {'name':'x','rate_per_second':0.0000001,'burst':2}            | rate_per_second : * : must have at most 6 digits after the point
            tiers   | {'name':'x','rate_per_second':1,'burst':0}                    | burst : 0 : must be at least 1 where rate_per_second is above 0 (a rate of 0 blocks)
            tiers   | {'name':'x','rate_per_second':'1','burst':1}                  | rate_per_second : 1 : must be a number
            tiers   | {'name':'x','rate_per_second':1,'burst':1.5}                  | burst : 1.5 : must be a whole number
            tiers   | {'name':'x','rate_per_second':1,'burst':null}                 | burst : null : must be a whole number
            tiers   | {'name':' ','rate_per_second':1,'burst':1}                    | name :   : must not be blank
            tiers   | {'name':'x','rate_per_second':1,'burst':1,'mode':'loud'}      | mode : loud : must be one of enforce, shadow, off
            tiers   | {'name':'x','burst':1}                                        | rate_per_second : - : is missing
            tiers   | {'name':'x','rate_per_second':1,'burst':1,'color':'red'}      | color : - : is not known here
            routes  | {'prefix':'r','upstream_url':'http://h'}                      | prefix : r : must begin with a slash, and end with one only if it is nothing else
            routes  | {'prefix':'/r','upstream_url':'ftp://h'}                      | upstream_url : ftp://h : must be an address that begins with http:// or https://
            routes  | {'prefix':'/admin','upstream_url':'http://h'}                 | prefix : /admin : must not be /admin, which Weir serves itself
            routes  | {'prefix':'/r','upstream_url':'http://h/?q=1'}                | upstream_url : http://h/?q=1 : must be http(s)://host[:port][/path] and no more, which [http://h/?q=1] is not
            routes  | {'prefix':'/r','upstream_url':'http://h','tls':'nobody'}      | tls : nobody : must be a name of mcp.upstream-tls in the settings, of which there is no [nobody]
            routes  | {'prefix':'/r','upstream_url':'http://h','burst':1}           | burst : 1 : must be set if rate_per_second is, and not if it is not
            routes  | {'prefix':'/r','upstream_url':'http://h','identity':'signed'} | identity_secret : - : must be set if identity is signed, and not if it is not
            route-headers | {'route':'/mcp','name':'Host','content':'x'}            | name : Host : must be letters, digits and hyphens, and none that Weir or HTTP itself needs
            route-headers | {'route':'/mcp','name':'X-A','content':'${secret.no}'}  | content : - : names the secret [no], and there is no setting mcp.secrets.no
            tools   | {'route':'/nowhere','name':'x','tier':'heavy'}                | route : /nowhere : names a route that is not there: there is no route [/nowhere]
            tools   | {'route':'/mcp','name':'x','tier':'heavi'}                    | tier : heavi : names a tool_tier that is not there: there is no tool_tier [heavi]
            tools   | {'route':'/mcp','name':'x','tier':'heavy','scopes':'a  b'}    | scopes : a  b : must be words of ASCII without quotes, brackets or backslashes, with one space between them
            tools   | {'route':'/mcp','name':'x','tier':'heavy','cost':6}           | tool [/mcp x] : - : a cost of 6 never fits into a burst of 5
            client-tools | {'client':'c1','route':'/mcp','tool':'nothing'}          | tool : nothing : names a tool that is not there: there is no tool [/mcp tool nothing]
            client-keys  | {'client':'nobody'}                                      | client : nobody : names a client that is not there: there is no client [nobody]
            client-keys  | {'client':'c1','expires_at':'2001-01-01T00:00:00Z'}      | expires_at : 2001-01-01T00:00:00Z : must be after the key is made
            client-keys  | {'client':'c1','expires_at':'tomorrow'}                  | expires_at : tomorrow : must be an instant such as 2026-12-01T06:30:00Z
            client-keys  | {'client':'c1','sha256':'00'}                            | sha256 : - : is not known here
            settings | {'name':'nonsense','content':'1'}                            | name : nonsense : is no setting
            settings | {'name':'ban.threshold','content':'1001'}                    | content : 1001 : must be at most 1000
            settings | {'name':'ban.scope','content':'some'}                        | content : some : must be one of tools, all
            settings | {'name':'ban.duration_seconds','content':'90000'}            | content : 90000 : is not usable: max_duration_seconds must be at least duration_seconds, 90000, and at most 3650 days, not 86400
            """)
    void aRowThatIsNotUsableIsRefusedByFieldValueAndRule(String table, String row, String fault) throws Exception {
        String before = admin.get("/v1/" + table + "?limit=500").body();
        AdminClient.Reply refused = post("/v1/" + table, row);
        assertThat(refused.status()).as(refused.body()).isEqualTo(422);
        String[] expected = fault.split(" : ", 3);
        assertThat(refused.json().path("errors")).hasSize(1);
        JsonNode found = refused.json().path("errors").get(0);
        assertThat(found.path("field").asString()).isEqualTo(expected[0]);
        assertThat(found.path("rule").asString()).isEqualTo(expected[2]);
        if (!expected[1].equals("*")) {
            assertThat(found.path("value").isNull() ? "-" : found.path("value").asString())
                    .isEqualTo(expected[1]);
        }
        assertThat(admin.get("/v1/" + table + "?limit=500").body())
                .as("all is as it was")
                .isEqualTo(before);
    }

    @Test
    void allFaultsOfARowAreTold() throws Exception {
        AdminClient.Reply refused = post("/v1/tiers", "{'name':'','rate_per_second':-1,'burst':'x','mode':1}");
        assertThat(faults(refused)).hasSizeGreaterThanOrEqualTo(4);
        assertThat(refused.json().path("detail").asString()).contains("rate_per_second [-1] must be at least 0");
    }

    @Test
    void theKeyOfARowIsNotChangedAndAPatchOfNothingChangesNothing() throws Exception {
        AdminClient.Reply heavy = admin.get("/v1/tiers/heavy");
        assertThat(faults(patch("/v1/tiers/heavy", "{'name':'x'}", heavy.header("ETag"))))
                .containsExactly("name | - | is not known here");
        AdminClient.Reply same = patch("/v1/tiers/heavy", "{}", heavy.header("ETag"));
        assertThat(same.json()).isEqualTo(heavy.json());
        assertThat(admin.get("/v1/tools/" + MCP + "/tool/T1")
                        .json()
                        .path("row")
                        .path("tier")
                        .asString())
                .isEqualTo("heavy");
        assertThat(admin.get("/v1/tools/~!!/tool/T1").status()).isEqualTo(404);
        assertThat(patch("/v1/routes/" + MCP, "{'rate_per_second':5}", "*").status())
                .as("without a burst")
                .isEqualTo(422);
    }

    @Test
    void aTierThatIsUsedStays() throws Exception {
        AdminClient.Reply refused = delete("/v1/tiers/heavy");
        assertThat(code(refused)).isEqualTo("409 in_use");
        assertThat(refused.json().path("detail").asString())
                .isEqualTo("tool_tier [heavy] is still used by tool [/mcp tool T1].");
        assertThat(code(delete("/v1/tiers/standard"))).isEqualTo("409 no_policy");
    }

    @Test
    void listsArePagedAndFiltered() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(post("/v1/tools", "{'route':'/mcp','name':'page " + i + "','tier':'light'}")
                            .status())
                    .isEqualTo(201);
        }
        List<String> seen = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = viewer.get(
                            "/v1/tools?tier=light&route=%2Fmcp&limit=2" + (next.isEmpty() ? "" : "&after=" + next))
                    .json();
            page.path("items")
                    .forEach(item -> seen.add(item.path("row").path("name").asString()));
            next = page.path("next").asString("");
        } while (!next.isEmpty());
        assertThat(seen).containsExactly("page 0", "page 1", "page 2", "page 3", "page 4");
        assertThat(viewer.get("/v1/tools?name=page%203").json().path("items")).hasSize(1);
        for (String wrong : List.of(
                "limit=0", "limit=501", "limit=x", "after=x", "after=AAAA", "cost=1", "kind=some", "limit=1&limit=2")) {
            assertThat(viewer.get("/v1/tools?" + wrong).status()).as(wrong).isEqualTo(400);
        }
        for (int i = 0; i < 5; i++) {
            assertThat(delete("/v1/tools/" + MCP + "/tool/" + Segment.of("page " + i))
                            .status())
                    .isEqualTo(204);
        }
    }

    @Test
    void anOperatorRegistersToolsAndNothingElse() throws Exception {
        String tool = "{\"route\":\"/mcp\",\"name\":\"seen\",\"tier\":\"light\"}";
        assertThat(viewer.ask("POST", "/v1/tools", tool).status()).isEqualTo(403);
        assertThat(operator.ask("POST", "/v1/tools", tool).status()).isEqualTo(201);
        String method = "{\"route\":\"/mcp\",\"name\":\"prompts/get\",\"kind\":\"method\",\"tier\":\"light\"}";
        assertThat(code(operator.ask("POST", "/v1/tools", method))).isEqualTo("403 role_too_small");
        assertThat(operator.ask("POST", "/v1/tiers", "{\"name\":\"x\",\"rate_per_second\":1,\"burst\":1}")
                        .status())
                .isEqualTo(403);
        assertThat(operator.ask("POST", "/v1/client-keys", "{\"client\":\"c1\"}")
                        .status())
                .isEqualTo(403);
        assertThat(operator.ask("POST", "/v1/changes", "{\"changes\":[]}").status())
                .isEqualTo(403);
        assertThat(events(admin.get("/v1/tools/" + MCP + "/tool/seen").json()))
                .containsExactly("client:operator insert");
        assertThat(delete("/v1/tools/" + MCP + "/tool/seen").status()).isEqualTo(204);
    }

    @Test
    void aKeyIsToldOnceAndIsGoodAtOnceUntilItIsRevoked() throws Exception {
        AdminClient.Reply made =
                post("/v1/client-keys", "{'client':'c1','label':'ci','expires_at':'2999-01-01T00:00:00Z'}");
        assertThat(made.status()).isEqualTo(201);
        String key = made.json().path("key").asString();
        String self = made.json().path("self").asString();
        assertThat(key).startsWith("weir_");
        assertThat(made.json().path("row").path("sha256").asString()).isEqualTo(ApiKey.digest(key));
        assertThat(made.json().path("row").path("expires_at").asString()).isEqualTo("2999-01-01T00:00:00.000Z");
        assertThat(admin.get(self).body()).doesNotContain(key);
        assertThat(admin.get("/v1/client-keys?client=c1").body())
                .doesNotContain(key)
                .contains("\"label\":\"ci\"");
        try (Wire wire = weir.wire()) {
            wire.send(RunningWeir.post(key, RunningWeir.call(1, "T2")));
            assertThat(wire.answer().status()).isEqualTo(200);
            assertThat(patch(self, "{'revoked_at':'2026-01-01T00:00:00Z'}", made.header("ETag"))
                            .status())
                    .isEqualTo(200);
            wire.send(RunningWeir.post(key, RunningWeir.call(1, "T2")));
            assertThat(wire.answer().status()).isEqualTo(401);
        }
        assertThat(faults(patch(self, "{'client':'c2'}", "*"))).containsExactly("client | - | is not known here");
        assertThat(weir.database()
                        .<String, RuntimeException>withHandle(
                                handle -> handle.createQuery("SELECT LISTAGG(row_after) FROM admin_event")
                                        .mapTo(String.class)
                                        .one()))
                .doesNotContain(key);
    }

    @Test
    void whatIsAnsweredIsInForce() throws Exception {
        try (Wire wire = weir.wire()) {
            for (int burst = 30; burst < 40; burst++) {
                assertThat(patch("/v1/tiers/standard", "{'burst':" + burst + "}", "*")
                                .status())
                        .isEqualTo(200);
                wire.send(RunningWeir.post(RunningWeir.K2, RunningWeir.call(1, "T2")));
                assertThat(wire.answer().head().values("X-RateLimit-Limit")).containsExactly(Integer.toString(burst));
            }
        }
        assertThat(patch("/v1/tiers/standard", "{'burst':20}", "*").status()).isEqualTo(200);
    }

    @Test
    void onlyAdminsSeeSecretsThatWereWrittenIntoARow() throws Exception {
        assertThat(post("/v1/route-headers", "{'route':'/mcp','name':'X-Secret','content':'Bearer s3cr3t'}")
                        .status())
                .isEqualTo(201);
        assertThat(post("/v1/route-headers", "{'route':'/mcp','name':'X-Named','content':'Bearer ${secret.up}'}")
                        .status())
                .isEqualTo(201);
        String self = "/v1/route-headers/" + MCP + "/X-Secret";
        assertThat(admin.get(self).body()).contains("s3cr3t");
        for (AdminClient other : List.of(viewer, operator)) {
            for (String path : List.of(self, "/v1/route-headers")) {
                assertThat(other.get(path).body()).doesNotContain("s3cr3t").contains("\"content\":\"…\"");
            }
            assertThat(other.get(self).header("ETag"))
                    .as("it tells nothing of the secret either")
                    .isNotEqualTo(admin.get(self).header("ETag"));
            assertThat(other.get("/v1/route-headers").body()).contains("${secret.up}");
        }
        AdminClient.Reply refused = patch(self, "{'content':'s3cr3t\\nX-B: b'}", "*");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.body()).doesNotContain("s3cr3t");
        assertThat(delete(self).status()).isEqualTo(204);
        assertThat(delete("/v1/route-headers/" + MCP + "/X-Named").status()).isEqualTo(204);
    }

    @Test
    void everyTableAndColumnIsDescribed() throws Exception {
        JsonNode tables = viewer.get("/v1/tables").json().path("items");
        assertThat(tables).hasSize(11);
        JsonNode burst = tables.get(0).path("columns").get(2);
        assertThat(burst.path("name").asString()).isEqualTo("burst");
        assertThat(burst.path("type").asString()).isEqualTo("whole");
        assertThat(burst.path("unit").asString()).isEqualTo("calls");
        assertThat(burst.path("required").asBoolean()).isTrue();
        for (JsonNode table : tables) {
            assertThat(viewer.get("/v1/" + table.path("path").asString()).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void anEventHasTheRowBeforeAndAfter() throws Exception {
        assertThat(patch("/v1/tiers/light", "{'burst':61}", "*").status()).isEqualTo(200);
        Map<String, Object> event = weir.database()
                .withHandle(handle -> handle.createQuery(
                                "SELECT changed_by, CAST(row_before AS VARCHAR) AS was, CAST(row_after AS VARCHAR) AS now"
                                        + " FROM admin_event WHERE row_name = 'light' ORDER BY id DESC LIMIT 1")
                        .mapToMap()
                        .one());
        assertThat(event).containsEntry("changed_by", "admin");
        assertThat((String) event.get("was")).contains("\"burst\":60");
        assertThat((String) event.get("now")).contains("\"burst\":61");
        assertThat(patch("/v1/tiers/light", "{'burst':60}", "*").status()).isEqualTo(200);
    }
}
