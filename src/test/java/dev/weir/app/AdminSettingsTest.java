package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.policy.table.Setting;
import dev.weir.policy.table.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Settings by the admin API: all that there are, with what holds, whether they have a row or not. */
class AdminSettingsTest {

    @TempDir
    static Path dir;

    private static RunningWeir weir;
    private static AdminClient admin;

    @BeforeAll
    static void start() throws Exception {
        weir = RunningWeir.start(
                dir, "http://127.0.0.1:1/", "mcp.admin.token", AdminClient.TOKEN, "mcp.rate-limit.burst-size", "77");
        admin = new AdminClient(weir);
    }

    @AfterAll
    static void stop() {
        weir.close();
    }

    private static AdminClient.Reply patch(String name, String content, String etag) throws Exception {
        return admin.ask("PATCH", "/v1/settings/" + name, "{\"content\":" + content + "}", "If-Match", etag);
    }

    private static JsonNode get(String name) throws Exception {
        return admin.get("/v1/settings/" + name).json();
    }

    @Test
    void eachHasTheStandardOfTheStaticSettingsAndWhatIsInForce() throws Exception {
        JsonNode burst = get("channel.burst");
        assertThat(burst.path("content").isNull()).isTrue();
        assertThat(burst.path("standard").asString()).isEqualTo("77");
        assertThat(burst.path("inForce").asString()).isEqualTo("77");
        assertThat(burst.path("type").asString()).isEqualTo("whole");
        assertThat(burst.path("unit").asString()).isEqualTo("requests");
        assertThat(admin.get("/v1/settings/nonsense").status()).isEqualTo(404);
    }

    @Test
    void whateverIsShownCanBeSetAndIsInForceWhenItIsAnswered() throws Exception {
        for (JsonNode setting : admin.get("/v1/settings").json().path("items")) {
            String name = setting.path("name").asString();
            String other = other(setting);
            AdminClient.Reply set =
                    patch(name, '"' + other + '"', setting.path("etag").asString());
            assertThat(set.status()).as("%s: %s", name, set.body()).isEqualTo(200);
            assertThat(set.json().path("content").asString()).as(name).isEqualTo(other);
            assertThat(set.json().path("inForce").asString()).as(name).isEqualTo(other);
            assertThat(get(name)).as(name).isEqualTo(set.json());
            AdminClient.Reply unset = patch(name, "null", set.header("ETag"));
            assertThat(unset.json().path("content").isNull()).as(name).isTrue();
            assertThat(unset.json().path("inForce").asString())
                    .as(name)
                    .isEqualTo(setting.path("standard").asString());
        }
    }

    /** Something else than what is in force, that goes together with everything else. */
    private static String other(JsonNode setting) {
        String now = setting.path("inForce").asString();
        for (JsonNode word : setting.path("words")) {
            if (!word.asString().equals(now)) {
                return word.asString();
            }
        }
        return Long.toString(Long.parseLong(now) + 1);
    }

    @Test
    void ofTwoWhoSetTheSameOneIsRefused() throws Exception {
        String etag = admin.get("/v1/settings/ban.threshold").header("ETag");
        AdminClient.Reply first = patch("ban.threshold", "\"7\"", etag);
        assertThat(first.status()).isEqualTo(200);
        assertThat(patch("ban.threshold", "\"8\"", etag).status()).isEqualTo(412);
        assertThat(admin.ask("PATCH", "/v1/settings/ban.threshold", "{\"content\":\"8\"}")
                        .status())
                .isEqualTo(428);
        assertThat(get("ban.threshold").path("inForce").asString()).isEqualTo("7");
        assertThat(admin.ask("DELETE", "/v1/settings/ban.threshold", null, "If-Match", etag)
                        .status())
                .isEqualTo(412);
        assertThat(admin.ask("DELETE", "/v1/settings/ban.threshold", null, "If-Match", first.header("ETag"))
                        .status())
                .isEqualTo(204);
        assertThat(get("ban.threshold").path("inForce").asString()).isEqualTo("5");
        assertThat(patch("ban.threshold", "\"8\"", first.header("ETag")).status())
                .as("it has no row any more")
                .isEqualTo(412);
    }

    @Test
    void aRowThatIsNoSettingIsShownSoThatItCanBeDeletedAndMeanwhileTheLastGoodPolicyHolds() throws Exception {
        weir.sql("INSERT INTO setting (name, content) VALUES ('nonsense', '1')");
        AdminClient.Reply shown = admin.get("/v1/settings/nonsense");
        assertThat(shown.json().path("standard").isNull()).isTrue();
        assertThat(admin.get("/v1/settings").body()).contains("\"nonsense\"");
        AdminClient.Reply set = patch("ban.scope", "\"all\"", "*");
        assertThat(set.status()).as("it makes nothing worse").isEqualTo(200);
        assertThat(set.json().path("inForce").asString()).isEqualTo("tools");
        assertThat(admin.ask("DELETE", "/v1/settings/nonsense", null, "If-Match", shown.header("ETag"))
                        .status())
                .isEqualTo(204);
        assertThat(get("ban.scope").path("inForce").asString()).isEqualTo("all");
        assertThat(patch("ban.scope", "null", "*").status()).isEqualTo(200);
    }

    @Test
    void whatASettingMayNotBeIsRefused() throws Exception {
        AdminClient.Reply refused = patch("ban.threshold", "\"many\"", "*");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("detail").asString()).isEqualTo("content [many] must be a whole number");
        assertThat(patch("channel.requests_per_second", "\"0.0000001\"", "*").status())
                .isEqualTo(422);
        assertThat(patch("channel.requests_per_second", "12", "*").status())
                .as("settings are text")
                .isEqualTo(422);
        assertThat(patch("channel.burst", "\"0\"", "*").json().path("code").asString())
                .isEqualTo("no_policy");
        assertThat(patch("nonsense", "\"1\"", "*").status()).isEqualTo(404);
    }

    @Test
    void whileTheDatabaseDoesNotAnswerThatIsSaid() throws Exception {
        List<Handle> held = new ArrayList<>();
        try {
            assertThatThrownBy(() -> {
                        while (held.size() < 100) {
                            held.add(weir.database().open());
                        }
                    })
                    .isInstanceOf(JdbiException.class);
            AdminClient.Reply away = patch("ban.threshold", "\"7\"", "*");
            assertThat(away.status()).isEqualTo(503);
            assertThat(away.json().path("code").asString()).isEqualTo("database_away");
        } finally {
            held.forEach(Handle::close);
        }
        assertThat(get("ban.threshold").path("content").isNull()).isTrue();
    }

    @Test
    void theListIsPagedLikeAllOthers() throws Exception {
        List<String> names = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = admin.get("/v1/settings?limit=7" + (next.isEmpty() ? "" : "&after=" + next))
                    .json();
            page.path("items").forEach(item -> names.add(item.path("name").asString()));
            next = page.path("next").asString("");
        } while (!next.isEmpty());
        assertThat(names)
                .containsExactlyElementsOf(
                        Settings.ALL.stream().map(Setting::name).toList());
    }
}
