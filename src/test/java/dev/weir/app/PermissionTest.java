package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client may do on a route, and how it is told what it may not. */
@Timeout(60)
class PermissionTest {

    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    private static final String BAD = "weir_nobody";

    @TempDir
    Path directory;

    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = new StubUpstream(
                (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}"));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    private RunningWeir weir(String edits, String... settings) throws Exception {
        return RunningWeir.startWith(
                edits.isEmpty() ? List.of() : List.of(edits.split(";")), directory, upstream.base(), settings);
    }

    private static Wire.Answer ask(RunningWeir weir, String request) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(request);
            return wire.answer();
        }
    }

    /** What came of a request: {@code ok} or the status, and the error's code. */
    private static String outcome(Wire.Answer answer) {
        if (answer.body().contains("\"result\"")) {
            return "ok";
        }
        return answer.status() + (answer.body().contains("-32031") ? " -32031" : "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # what was decided                                                                | c1 lists | c1 calls T1 | c1 calls echo | c2 lists | c2 calls T1 | c2 calls echo
            ''                                                                                | ok  | ok         | ok         | ok  | ok         | ok
            UPDATE route SET access = 'listed'                                                | 403 | 403        | 403        | 403 | 403        | 403
            UPDATE route SET access = 'listed';INSERT INTO client_route (client, route) VALUES ('c1', '/mcp') | ok | ok | ok    | 403 | 403        | 403
            INSERT INTO client_route (client, route, allowed) VALUES ('c1', '/mcp', FALSE)    | 403 | 403        | 403        | ok  | ok         | ok
            INSERT INTO client_route (client, route, tools) VALUES ('c1', '/mcp', 'listed')   | ok  | 200 -32031 | 200 -32031 | ok  | ok         | ok
            INSERT INTO client_route (client, route, tools) VALUES ('c1', '/mcp', 'listed');INSERT INTO client_tool (client, route, tool) VALUES ('c1', '/mcp', 'T1') | ok | ok | 200 -32031 | ok | ok | ok
            UPDATE tool SET access = 'listed';INSERT INTO client_tool (client, route, tool) VALUES ('c2', '/mcp', 'T1') | ok | 200 -32031 | ok | ok | ok    | ok
            INSERT INTO client_tool (client, route, tool, allowed) VALUES ('c1', '/mcp', 'T1', FALSE) | ok | 200 -32031 | ok    | ok  | ok         | ok
            UPDATE tool SET enabled = FALSE                                                   | ok  | 200 -32031 | ok         | ok  | 200 -32031 | ok
            INSERT INTO setting VALUES ('unregistered_tools', 'refuse')                       | ok  | ok         | 200 -32031 | ok  | ok         | 200 -32031
            UPDATE route SET scopes = 'a b';UPDATE client SET scopes = 'b a c' WHERE id = 'c1' | ok | ok         | ok         | 403 | 403        | 403
            UPDATE route SET scopes = 'a b';UPDATE client SET scopes = 'a' WHERE id = 'c1'    | 403 | 403        | 403        | 403 | 403        | 403
            UPDATE tool SET scopes = 'write';UPDATE client SET scopes = 'write' WHERE id = 'c1' | ok | ok        | ok         | ok  | 200 -32031 | ok
            UPDATE route SET access = 'listed';UPDATE client SET exempt = TRUE                | 403 | 403        | 403        | 403 | 403        | 403
            UPDATE tool SET enabled = FALSE;UPDATE client SET exempt = TRUE                   | ok  | 200 -32031 | ok         | ok  | 200 -32031 | ok
            """)
    void aClientMayWhatItsOperatorSaysAndNoMore(
            String edits, String lists1, String heavy1, String light1, String lists2, String heavy2, String light2)
            throws Exception {
        try (RunningWeir weir = weir(edits)) {
            List<String> outcomes = List.of(
                    outcome(ask(weir, post(K1, LIST))).replace(" -32031", ""),
                    outcome(ask(weir, post(K1, call(1, "T1")))).replace("403 -32031", "403"),
                    outcome(ask(weir, post(K1, call(1, "echo")))).replace("403 -32031", "403"),
                    outcome(ask(weir, post(K2, LIST))).replace(" -32031", ""),
                    outcome(ask(weir, post(K2, call(1, "T1")))).replace("403 -32031", "403"),
                    outcome(ask(weir, post(K2, call(1, "echo")))).replace("403 -32031", "403"));
            assertThat(outcomes).containsExactly(lists1, heavy1, light1, lists2, heavy2, light2);
            assertThat(upstream.received())
                    .hasSize((int) outcomes.stream().filter("ok"::equals).count());
        }
    }

    /** A client that has a key and not the permission is not sent to log in: it is logged in. */
    @Test
    void noPermissionForTheRouteIs403WithoutAChallengeWhateverIsAsked() throws Exception {
        try (RunningWeir weir = weir("UPDATE route SET scopes = 'read'")) {
            for (String request : List.of(
                    post(K1, LIST),
                    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                            + "\r\nAccept: text/event-stream\r\n\r\n",
                    "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n\r\n")) {
                Wire.Answer answer = ask(weir, request);
                assertThat(answer.status()).isEqualTo(403);
                assertThat(answer.head().values("WWW-Authenticate")).isEmpty();
                assertThat(answer.body()).contains("Route [/mcp] may not be used by this client.");
            }
            assertThat(upstream.received()).isEmpty();
        }
    }

    @Test
    void whoPresentsNothingIsToldWhatToBring() throws Exception {
        try (RunningWeir weir = weir("UPDATE route SET scopes = 'read write'")) {
            Wire.Answer answer = ask(weir, post(BAD, LIST).replace("Authorization: Bearer " + BAD + "\r\n", ""));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.head().values("WWW-Authenticate"))
                    .containsExactly("Bearer realm=\"weir\", scope=\"read write\"");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE route SET scopes = 'read' | echo | 401 | read",
                "UPDATE route SET access = 'listed' | echo | 401 | ",
                "UPDATE route SET scopes = 'read';UPDATE tool SET scopes = 'write' | T1 | 401 | read",
                "UPDATE tool SET scopes = 'write' | T1 | 401 | write",
                "UPDATE tool SET scopes = 'write' | echo | 200 | ",
                "UPDATE tool SET access = 'listed' | T1 | 200 | "
            })
    void whereAnonymousCallersAreLetInTheyMayNotWhatNeedsACredential(
            String edits, String tool, int status, String scope) throws Exception {
        try (RunningWeir weir = weir(edits, "mcp.auth.required", "false")) {
            Wire.Answer answer =
                    ask(weir, post(BAD, call(1, tool)).replace("Authorization: Bearer " + BAD + "\r\n", ""));
            assertThat(answer.status()).isEqualTo(status);
            if (status == 401) {
                assertThat(answer.head().values("WWW-Authenticate"))
                        .containsExactly("Bearer realm=\"weir\"" + (scope == null ? "" : ", scope=\"" + scope + "\""));
            } else {
                assertThat(answer.head().values("WWW-Authenticate")).isEmpty();
            }
        }
    }

    /** A call that may not be made is no strike, and costs what any other message does. */
    @Test
    void whoKeepsTryingWhatItMayNotIsThrottledAtLastAndNotBannedForIt() throws Exception {
        try (RunningWeir weir = weir(
                        "UPDATE tool SET enabled = FALSE;INSERT INTO setting VALUES ('channel.requests_per_second', '0.01');"
                                + "INSERT INTO setting VALUES ('channel.burst', '20')");
                Wire wire = weir.wire()) {
            for (int i = 0; i < 20; i++) {
                wire.send(post(K1, call(i, "T1")));
                assertThat(wire.answer().body()).contains("-32031").contains("\"reason\":\"forbidden\"");
            }
            wire.send(post(K1, call(20, "T1")));
            assertThat(wire.answer().body()).contains("-32029").contains("\"strikes\":1");
        }
    }

    @Test
    void aBatchWithOneCallThatMayNotBeMadeIsRefusedAsAWhole() throws Exception {
        try (RunningWeir weir = weir("UPDATE tool SET enabled = FALSE;UPDATE route SET batch = 'judge'")) {
            String batch = "[" + call(1, "echo") + "," + call(2, "T1") + "]";
            Wire.Answer answer = ask(weir, post(K1, batch, "MCP-Protocol-Version: 2025-03-26\r\n"));
            assertThat(answer.body()).contains("\"id\":1").contains("\"id\":2").contains("-32031");
            assertThat(upstream.received()).isEmpty();
        }
    }

    /** A role opens what is beside the routes, and no route. */
    @ParameterizedTest
    @CsvSource({"agent, false", "viewer, true", "operator, true", "admin, true"})
    void aViewerSeesTheNumbersAndAnAgentDoesNot(String role, boolean sees) throws Exception {
        try (RunningWeir weir =
                weir("UPDATE client SET role = '" + role + "' WHERE id = 'c1'", "mcp.allowed-hosts", "weir.example")) {
            String asked = "GET /metrics HTTP/1.1\r\nHost: elsewhere.example\r\nAuthorization: Bearer ";
            assertThat(ask(weir, asked + K1 + "\r\n\r\n").status()).isEqualTo(sees ? 200 : 401);
            assertThat(ask(weir, asked + K2 + "\r\n\r\n").status()).isEqualTo(401);
        }
    }
}
