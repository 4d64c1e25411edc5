package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets at the operators' API and console, on real sockets. */
class AdminAccessTest {

    private static final String UPSTREAM = "http://127.0.0.1:1/";
    private static final String SESSION = "/v1/session";

    @TempDir
    Path dir;

    @Test
    void theTokenOfTheSettingsOpensTheApiAndNoOtherDoes() throws Exception {
        try (RunningWeir weir = weir()) {
            AdminClient.Reply known = new AdminClient(weir).get(SESSION);
            assertThat(known.status()).isEqualTo(200);
            assertThat(known.body()).isEqualTo("{\"name\":\"admin\",\"role\":\"admin\"}");
            for (String token : List.of("", "wrong", RunningWeir.K1, AdminClient.TOKEN + "x")) {
                AdminClient.Reply unknown = new AdminClient(weir, token).get(SESSION);
                assertThat(unknown.status()).isEqualTo(401);
                assertThat(unknown.header("WWW-Authenticate")).startsWith("Bearer");
                assertThat(unknown.header("Content-Type")).isEqualTo("application/problem+json");
                assertThat(unknown.json().path("code").asString()).isEqualTo("unauthenticated");
            }
            assertThat(Files.exists(dir.resolve("admin-token"))).isFalse();
        }
    }

    @Test
    void aTokenIsMadeAtTheFirstStartAndItsFileIsTheOwnersOnly() throws Exception {
        try (RunningWeir weir = RunningWeir.start(dir, UPSTREAM)) {
            Path file = dir.resolve("admin-token");
            String token = Files.readString(file).strip();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(new AdminClient(weir, token).get(SESSION).status()).isEqualTo(200);
        }
    }

    @Test
    void keysOfClientsWithARoleAreFurtherTokensUntilTheyAreRevoked() throws Exception {
        try (RunningWeir weir = weir(
                "INSERT INTO client (id, name, role) VALUES ('eve', 'Eve', 'viewer'), ('olaf', 'Olaf', 'operator')",
                key("eve", "eves-key"),
                key("olaf", "olafs-key"))) {
            AdminClient eve = new AdminClient(weir, "eves-key");
            assertThat(eve.get(SESSION).body()).isEqualTo("{\"name\":\"client:eve\",\"role\":\"viewer\"}");
            assertThat(new AdminClient(weir, "olafs-key").get(SESSION).body()).contains("\"operator\"");
            weir.sql("UPDATE client_key SET revoked_at = CURRENT_TIMESTAMP WHERE client = 'eve'");
            await().until(() -> eve.get(SESSION).status() == 401);
        }
    }

    @Test
    void aSessionIsMadeOfATokenAndEndsWithALogout() throws Exception {
        try (RunningWeir weir = weir()) {
            AdminClient.Reply login = new AdminClient(weir).ask("POST", SESSION, null);
            assertThat(login.status()).isEqualTo(201);
            assertThat(login.header("Set-Cookie")).contains("; Path=/admin; HttpOnly; SameSite=Strict");
            String cookie = cookie(login);
            String csrf = login.json().path("csrf").asString();
            AdminClient browser = new AdminClient(weir, "");
            AdminClient.Reply me = browser.ask("GET", SESSION, null, "Cookie", cookie);
            assertThat(me.json().path("name").asString()).isEqualTo("admin");
            assertThat(me.json().path("csrf").asString()).isEqualTo(csrf);
            AdminClient.Reply without = browser.ask("DELETE", SESSION, null, "Cookie", cookie);
            assertThat(without.status()).isEqualTo(403);
            assertThat(without.json().path("code").asString()).isEqualTo("csrf");
            assertThat(browser.ask("DELETE", SESSION, null, "Cookie", cookie, "X-CSRF-Token", csrf)
                            .status())
                    .isEqualTo(204);
            assertThat(browser.ask("GET", SESSION, null, "Cookie", cookie).status())
                    .isEqualTo(401);
        }
    }

    @Test
    void aSessionOutlivesARestartAndNotTheTokenThatItWasMadeFrom() throws Exception {
        String cookie;
        try (RunningWeir weir = weir()) {
            cookie = cookie(new AdminClient(weir).ask("POST", SESSION, null));
        }
        try (RunningWeir weir = weir()) {
            assertThat(new AdminClient(weir, "")
                            .ask("GET", SESSION, null, "Cookie", cookie)
                            .status())
                    .isEqualTo(200);
        }
        try (RunningWeir weir = RunningWeir.start(dir, UPSTREAM, "mcp.admin.token", "another-token-of-the-tests")) {
            assertThat(new AdminClient(weir, "")
                            .ask("GET", SESSION, null, "Cookie", cookie)
                            .status())
                    .isEqualTo(401);
        }
    }

    @Test
    void whatAPageAsksForByItselfDoesNotKeepASessionAlive() throws Exception {
        try (RunningWeir weir = RunningWeir.start(
                dir, UPSTREAM, "mcp.admin.token", AdminClient.TOKEN, "mcp.admin.session-idle-minutes", "1")) {
            String cookie = cookie(new AdminClient(weir).ask("POST", SESSION, null));
            AdminClient browser = new AdminClient(weir, "");
            // A tenth of the minute has to pass before a use is worth a new cookie.
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !browser.ask("GET", SESSION, null, "Cookie", cookie)
                            .header("Set-Cookie")
                            .isEmpty());
            AdminClient.Reply unattended =
                    browser.ask("GET", SESSION, null, "Cookie", cookie, "X-Weir-Unattended", "1");
            assertThat(unattended.status()).isEqualTo(200);
            assertThat(unattended.header("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void pagesOfOtherOriginsAndOtherNamesAreRefused() throws Exception {
        try (RunningWeir weir = weir()) {
            AdminClient client = new AdminClient(weir);
            String own = "http://localhost:" + weir.port();
            assertThat(client.ask("GET", SESSION, null, "Origin", own).status()).isEqualTo(200);
            for (String[] header : new String[][] {
                {"Origin", "http://evil.example"},
                {"Origin", "null"},
                {"Origin", own + "0"},
                {"Sec-Fetch-Site", "cross-site"},
                {"Sec-Fetch-Site", "same-site"}
            }) {
                AdminClient.Reply reply = client.ask("GET", SESSION, null, header);
                assertThat(reply.json().path("code").asString())
                        .as("%s", (Object) header)
                        .isEqualTo("foreign_page");
            }
            String rebound = weir.probeAs("/admin/", "evil.example");
            assertThat(rebound).startsWith("403").contains("mcp.allowed-hosts");
        }
    }

    @Test
    void wrongTokensOfAnAddressAreSlowedDownAlsoWhereNumbersAreAskedFor() throws Exception {
        try (RunningWeir weir = weir()) {
            AdminClient guesser = new AdminClient(weir, "a-guess");
            int refused = 0;
            while (guesser.get(SESSION).status() == 401 && refused < 50) {
                refused++;
            }
            assertThat(refused).isBetween(10, 12);
            AdminClient.Reply slowed = new AdminClient(weir).get(SESSION);
            assertThat(slowed.status()).isEqualTo(429);
            assertThat(Integer.parseInt(slowed.header("Retry-After"))).isBetween(1, 5);
            assertThat(weir.forwarded("/metrics", AdminClient.TOKEN)).startsWith("401");
        }
    }

    @Test
    void itIsNotThereForOtherAddressesNorWhereItIsSwitchedOff() throws Exception {
        try (RunningWeir weir = RunningWeir.start(
                dir, UPSTREAM, "mcp.admin.token", AdminClient.TOKEN, "mcp.admin.allowed-addresses", "10.0.0.0/8")) {
            AdminClient.Reply nothing = new AdminClient(weir).get(SESSION);
            assertThat(nothing.status()).isEqualTo(404);
            assertThat(nothing.body()).contains("route_not_found");
            assertThat(weir.probe("/admin/")).startsWith("404");
        }
        try (RunningWeir weir = RunningWeir.start(dir, UPSTREAM, "mcp.admin.enabled", "false")) {
            AdminClient.Reply nothing = new AdminClient(weir, RunningWeir.K1).get(SESSION);
            assertThat(nothing.status()).isEqualTo(404);
            assertThat(nothing.body()).contains("route_not_found");
            assertThat(weir.probe("/admin/")).doesNotContain("<html");
        }
    }

    @Test
    void browsersAreToldToBeStrict() throws Exception {
        try (RunningWeir weir = weir()) {
            AdminClient.Reply reply = new AdminClient(weir).get(SESSION);
            assertThat(reply.header("Content-Security-Policy"))
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(reply.header("X-Frame-Options")).isEqualTo("DENY");
            assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
            assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
        }
    }

    private RunningWeir weir(String... edits) throws Exception {
        return RunningWeir.startWith(List.of(edits), dir, UPSTREAM, "mcp.admin.token", AdminClient.TOKEN);
    }

    private static String key(String client, String key) {
        return "INSERT INTO client_key (client, sha256) VALUES ('" + client + "', '" + ApiKey.digest(key) + "')";
    }

    private static String cookie(AdminClient.Reply login) {
        String cookie = login.header("Set-Cookie");
        return cookie.substring(0, cookie.indexOf(';'));
    }
}
