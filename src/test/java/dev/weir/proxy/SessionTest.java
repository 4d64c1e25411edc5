package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sessions on real sockets: their ids are changed on the way in both directions, and only their owner gets through. */
@Timeout(60)
class SessionTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":\"tools/call\"}";
    private static final String NOTE = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
    private static final SessionIds IDS = new SessionIds(Front.SEALS);
    private static final String OF_C1 = IDS.tell("client:c1", "/mcp", "s-1");

    private volatile String answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            + "MCP-SESSION-ID: s-1\r\nContent-Length: 2\r\n\r\n{}";
    private StubUpstream upstream;
    private Front front;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.send(answer));
        front = Front.to(upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        front.close();
        upstream.close();
    }

    private Wire.Answer ask(String method, String... headers) throws IOException {
        try (Wire wire = new Wire(front.port())) {
            if (method.equals("POST")) {
                wire.post(CALL, headers);
            } else {
                wire.request(method, "/mcp", headers);
            }
            return wire.answer();
        }
    }

    private static String session(String id) {
        return "Mcp-Session-Id: " + id + "\r\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "GET", "DELETE"})
    void anAnswerTellsAnIdThatTheUpstreamIsAskedWithoutItsSeal(String method) throws Exception {
        assertThat(ask(method).head().values("Mcp-Session-Id")).containsExactly(OF_C1);
        Wire.Answer again = ask(method, session(OF_C1));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.head().values("Mcp-Session-Id")).containsExactly(OF_C1);
        assertThat(upstream.received().get(0).values("Mcp-Session-Id")).isEmpty();
        assertThat(upstream.received().get(1).values("Mcp-Session-Id")).containsExactly("s-1");
    }

    @Test
    void aStreamTellsItToo() throws Exception {
        answer = answer.replace("application/json", "text/event-stream").replace("2\r\n\r\n{}", "9\r\n\r\ndata: 1\n\n");
        Wire.Answer stream = ask("GET", session(OF_C1), "Accept: text/event-stream\r\n", "Last-Event-ID: 7\r\n");
        assertThat(stream.head().values("Mcp-Session-Id")).containsExactly(OF_C1);
        assertThat(stream.body()).isEqualTo("data: 1\n\n");
        assertThat(upstream.received().get(0).values("Mcp-Session-Id")).containsExactly("s-1");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, ''",
        "GET, 'Accept: text/event-stream'",
        "GET, 'Last-Event-ID: s-1_3'",
        "DELETE, ''",
        "POST, 'Mcp-Method: ping'"
    })
    void whoDoesNotOwnItIsToldThatThereIsNoSuchSessionAndTheUpstreamIsNotAsked(String method, String header)
            throws Exception {
        String more = header.isEmpty() ? "" : header + "\r\n";
        List<String> notGood = List.of(
                "s-1",
                OF_C1 + "x",
                OF_C1.substring(1),
                OF_C1.substring(0, OF_C1.length() - 1),
                "s-2" + OF_C1.substring(3),
                IDS.tell("client:c1", "/other", "s-1"),
                "");
        for (String id : notGood) {
            assertUnknown(method, ask(method, session(id), more));
        }
        assertUnknown(method, ask(method, session(OF_C1), more, "Test-Owner: client:c2\r\n"));
        assertUnknown(method, ask(method, session(OF_C1), session(OF_C1), more));
        assertThat(upstream.received()).isEmpty();
        assertThat(front.outcomes()).isEmpty();
    }

    private static void assertUnknown(String method, Wire.Answer answer) {
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
        JsonNode json = new JsonMapper().readTree(answer.body());
        if (method.equals("POST")) {
            assertThat(json.path("id").asString()).isEqualTo("a-1");
            assertThat(json.at("/error/code").asInt()).isEqualTo(404);
            assertThat(json.at("/error/message").asString()).contains("not known", "new one");
            assertThat(json.at("/error/data/error").asString()).isEqualTo("session_not_found");
        } else {
            assertThat(json.path("error").asString()).isEqualTo("session_not_found");
        }
    }

    @Test
    void aNotificationOfAnotherIsNotTakenEither() throws Exception {
        try (Wire wire = new Wire(front.port())) {
            wire.post(NOTE, session("s-1"));
            assertThat(wire.answer().status()).isEqualTo(404);
        }
        assertThat(upstream.received()).isEmpty();
    }

    @Test
    void theModernEraHasNoSessionsSoNoneIsAskedFor() throws Exception {
        Wire.Answer fine = ask("POST", "Test-Modern: yes\r\n", session("s-1"), session("s-2"));
        assertThat(fine.status()).isEqualTo(200);
        assertThat(upstream.received().get(0).values("Mcp-Session-Id")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Mcp-Session-Id: a b", "Mcp-Session-Id: ", "Mcp-Session-Id: a\r\nMcp-Session-Id: a"})
    void whatAnUpstreamCannotNameIsABrokenAnswer(String header) throws Exception {
        answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + header + "\r\nContent-Length: 2\r\n\r\n{}";
        Wire.Answer refused = ask("POST");
        assertThat(refused.status()).isEqualTo(502);
        assertThat(refused.head().values("Mcp-Session-Id")).isEmpty();
        assertThat(front.outcomes()).allMatch(outcome -> outcome.startsWith("the upstream named"));
    }

    @Test
    void aNameThatIsTooLongIsABrokenAnswer() throws Exception {
        whatAnUpstreamCannotNameIsABrokenAnswer(
                session("x".repeat(SessionIds.LONGEST + 1)).strip());
        answer = answer.replaceFirst("Id: x", "Id: ");
        String longest = "x".repeat(SessionIds.LONGEST);
        assertThat(ask("POST").head().values("Mcp-Session-Id")).containsExactly(IDS.tell("client:c1", "/mcp", longest));
    }

    @Test
    void aSpellingThatOtherServersTakeForTheHeaderDoesNotPass() throws Exception {
        assertThat(ask("POST", "Mcp_Session_Id: s-1\r\n", "mcp-Session_id: s-1\r\n")
                        .status())
                .isEqualTo(200);
        assertThat(upstream.received().get(0).head()).noneMatch(line -> line.contains("s-1"));
    }
}
