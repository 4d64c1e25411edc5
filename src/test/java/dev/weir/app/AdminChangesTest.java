package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Several changes of the policy by the admin API, in one transaction. */
class AdminChangesTest {

    @TempDir
    static Path dir;

    private static RunningWeir weir;
    private static AdminClient admin;

    @BeforeAll
    static void start() throws Exception {
        weir = RunningWeir.start(dir, "http://127.0.0.1:1/", "mcp.admin.token", AdminClient.TOKEN);
        admin = new AdminClient(weir);
    }

    @AfterAll
    static void stop() {
        weir.close();
    }

    private static AdminClient.Reply post(String body) throws Exception {
        return admin.ask("POST", "/v1/changes", body.replace('\'', '"'));
    }

    @Test
    void severalChangesAreMadeTogetherOrNotAtAll() throws Exception {
        String create = "{'op':'create','table':'tool_tier','row':{'name':'many','rate_per_second':1,'burst':1}}";
        String tool = "{'op':'create','table':'tool','row':{'route':'/mcp','name':'M','tier':'many'}}";
        AdminClient.Reply refused = post("{'changes':[" + create + "," + tool.replace("many", "more") + "]}");
        assertThat(refused.faults())
                .containsExactly(
                        "changes.1.row.tier | more | names a tool_tier that is not there: there is no tool_tier [more]");
        assertThat(admin.get("/v1/tiers/many").status()).isEqualTo(404);
        AdminClient.Reply made = post("{'changes':[" + create + "," + tool + "]}");
        assertThat(made.status()).as(made.body()).isEqualTo(200);
        JsonNode items = made.json().path("items");
        assertThat(items).hasSize(2);
        String etag = items.get(0).path("etag").asString().replace("\"", "\\\"");
        String change =
                "{'op':'change','table':'tool_tier','key':{'name':'many'},'row':{'burst':2},'etag':'" + etag + "'}";
        String drop = "{'op':'delete','table':'tool','key':{'route':'/mcp','name':'M'},'etag':'*'}";
        AdminClient.Reply done = post("{'changes':[" + change + "," + drop + "]}");
        assertThat(done.json().path("items").get(0).path("row").path("burst").asInt())
                .isEqualTo(2);
        assertThat(done.json().path("items").get(1).isNull()).isTrue();
        assertThat(post("{'changes':[" + drop + "," + create + "]}").code()).isEqualTo("404 not_found");
        assertThat(post("{'changes':[" + change + "]}").code()).isEqualTo("412 changed_meanwhile");
        assertThat(post("{'changes':[" + change.replaceFirst(",'etag'.*}", "}") + "]}")
                        .code())
                .isEqualTo("428 if_match_needed");
        assertThat(post("{'changes':[" + create + "]}").code()).isEqualTo("409 exists");
        assertThat(admin.ask("DELETE", "/v1/tiers/many", null, "If-Match", "*").status())
                .isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'op':'create','table':'ban','row':{}}                                    | changes.0.table
            {'op':'create','table':'client_key','row':{'client':'c1'}}                | changes.0.table
            {'op':'create','table':'setting','row':{'name':'x','content':'1'}}        | changes.0.row.name
            {'op':'create','table':'setting','row':{'name':'ban.scope','content':'1'}} | changes.0.row.content
            {'op':'change','table':'setting','key':{'name':'ban.scope'},'row':{'content':'1'},'etag':'*'} | changes.0.row.content
            {'op':'change','table':'tool','key':{'name':'T1'},'row':{},'etag':'*'}    | changes.0.key.route
            {'op':'change','table':'tool','key':{'route':'/mcp','name':'T1'},'row':{'name':'x'},'etag':'*'} | changes.0.row.name
            {'op':'change','table':'tool_tier','key':{'name':'heavy'},'row':{'burst':1.5},'etag':'*'} | changes.0.row.burst
            {'op':'change','table':'tool_tier','key':{'name':'heavy'},'row':{'burst':1e30},'etag':'*'} | changes.0.row.burst
            {'op':'change','table':'tool_tier','key':{'name':'heavy'},'row':{'rate_per_second':1e400},'etag':'*'} | changes.0.row.rate_per_second
            {'op':'change','table':'tool_tier','key':{'name':'heavy'},'row':{'mode':null},'etag':'*'} | changes.0.row.mode
            {'op':'change','table':'client_key','key':{'sha256':'x'},'row':{'created_at':'2026-01-01T00:00:00Z'},'etag':'*'} | changes.0.key.sha256
            {'op':'replace','table':'tool'}                                           | changes.0.op
            """)
    void aChangeThatIsNotUsableIsRefusedWithItsPlace(String change, String field) throws Exception {
        AdminClient.Reply refused = post("{'changes':[" + change + "]}");
        assertThat(refused.status()).as(refused.body()).isEqualTo(422);
        assertThat(refused.json().path("errors").get(0).path("field").asString())
                .isEqualTo(field);
    }
}
