package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Every request makes its lines once, whatever way it takes through the chain and however it ends. */
@Timeout(60)
class RequestLogTest {

    @TempDir
    Path directory;

    private final Lines lines = new Lines();
    private final Logger logger = (Logger) LoggerFactory.getLogger(RequestLog.class);
    private StubUpstream upstream;
    private RunningWeir weir;

    /** Keeps what is logged. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }

        List<ILoggingEvent> of(String requestId) {
            return events.stream()
                    .filter(event -> requestId.equals(field(event, "request_id")))
                    .toList();
        }
    }

    private static String field(ILoggingEvent event, String name) {
        return event.getKeyValuePairs().stream()
                .filter(pair -> pair.key.equals(name))
                .map(pair -> String.valueOf(pair.value))
                .findFirst()
                .orElse("");
    }

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> {
            if (request.body().contains("\"dies\"")) {
                line.head("text/event-stream");
                line.chunk("data: half of it\n\n");
                line.hangUp();
            } else {
                line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
            }
        });
        // So that no token comes back while a busy machine takes its time.
        weir = RunningWeir.startWith(
                List.of("UPDATE tool_tier SET rate_per_second = 0.001 WHERE name = 'heavy'"),
                directory,
                upstream.base());
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() throws IOException {
        logger.detachAppender(lines);
        logger.setLevel(null);
        weir.close();
        upstream.close();
    }

    private void send(Wire wire, String id, String body, String... more) throws IOException {
        wire.send(post(K1, body, "X-Request-ID: " + id + "\r\n" + String.join("", more)));
    }

    private void assertLines(String id, String... events) {
        await().untilAsserted(() ->
                assertThat(lines.of(id)).extracting(ILoggingEvent::getMessage).containsExactly(events));
    }

    @Test
    void anAdmittedCallHasAStartAndAnEndWithWhatItWas() throws Exception {
        try (Wire wire = weir.wire()) {
            send(wire, "ok", call(1, "T1"), "User-Agent: test\r\n");
            wire.answer();
        }
        assertLines("ok", "request_start", "request_end");
        ILoggingEvent end = lines.of("ok").get(1);
        assertThat(field(end, "status_code")).isEqualTo("200");
        assertThat(field(end, "principal")).isEqualTo("client:c1");
        assertThat(field(end, "client")).isEqualTo("c1");
        assertThat(field(end, "route")).isEqualTo("/mcp");
        assertThat(field(end, "mcp_method")).isEqualTo("tools/call");
        assertThat(field(end, "tool")).isEqualTo("T1");
        assertThat(field(end, "decision")).isEqualTo("admit");
        assertThat(field(end, "user_agent")).isEqualTo("test");
        assertThat(Double.parseDouble(field(end, "duration_ms"))).isPositive();
        assertThat(end.getLevel()).isEqualTo(Level.INFO);
    }

    @Test
    void ofRefusedCallsThatAreAlikeTheFirstHasAnEndAndACountStandsForTheOthers() throws Exception {
        try (Wire wire = weir.wire()) {
            for (int i = 1; i <= 13; i++) {
                send(wire, "call-" + i, call(i, "T1"));
                wire.answer();
            }
        }
        assertLines("call-5", "request_start", "request_end");
        assertLines("call-6", "request_end");
        assertThat(field(lines.of("call-6").get(0), "decision")).isEqualTo("throttle");
        assertThat(field(lines.of("call-6").get(0), "limit_level")).isEqualTo("tool");
        assertThat(field(lines.of("call-6").get(0), "strikes")).isEqualTo("1");
        assertLines("call-11", "request_end");
        assertThat(field(lines.of("call-11").get(0), "decision")).isEqualTo("shut");
        weir.close();
        assertThat(lines.of("call-7")).isEmpty();
        assertThat(lines.of("call-12")).isEmpty();
        assertThat(lines.events)
                .filteredOn(event -> event.getMessage().equals("request_repeated"))
                .extracting(
                        event -> field(event, "principal"),
                        event -> field(event, "tool"),
                        event -> field(event, "decision"),
                        event -> field(event, "count"))
                .containsExactlyInAnyOrder(
                        tuple("client:c1", "T1", "throttle", "4"), tuple("client:c1", "T1", "shut", "2"));
    }

    @Test
    void whatIsRefusedForItsBodyItsPathOrItsSizeHasOneEnd() throws Exception {
        try (Wire wire = weir.wire()) {
            send(wire, "bad", "no json");
            wire.answer();
            wire.send(post(K1, "{}", "X-Request-ID: lost\r\n").replace("POST /mcp", "POST /lost"));
            wire.answer();
            send(wire, "huge", " ".repeat((1 << 20) + 1));
            wire.answer();
        }
        assertLines("bad", "request_end");
        assertThat(lines.of("bad").get(0).getLevel()).isEqualTo(Level.WARN);
        assertLines("lost", "request_start", "request_end");
        assertLines("huge", "request_end");
        assertThat(field(lines.of("huge").get(0), "status_code")).isEqualTo("413");
    }

    @Test
    void aBodyThatComesInTwoPiecesMakesNoLineTwice() throws Exception {
        String request = post(K1, call(1, "T1"), "X-Request-ID: slow\r\n");
        try (Wire wire = weir.wire();
                Wire other = weir.wire()) {
            wire.send(request.substring(0, request.length() - 5));
            send(other, "between", call(2, "T1"));
            other.answer();
            wire.send(request.substring(request.length() - 5));
            assertThat(wire.answer().status()).isEqualTo(200);
        }
        assertLines("slow", "request_start", "request_end");
    }

    @Test
    void anAnswerThatBreaksOffHasOneErrorLineWithItsReason() throws Exception {
        try (Wire wire = weir.wire()) {
            send(wire, "broken", call(1, "dies"));
            Wire.Head head = wire.head();
            assertThat(head.status()).isEqualTo(200);
            assertThatThrownBy(() -> wire.body(head)).isInstanceOf(IOException.class);
        }
        assertLines("broken", "request_start", "request_error");
        ILoggingEvent error = lines.of("broken").get(1);
        assertThat(error.getLevel()).isEqualTo(Level.ERROR);
        assertThat(field(error, "failure")).isNotBlank();
    }

    @Test
    void noLineHoldsACredentialAQueryOrAnArgument() throws Exception {
        try (Wire wire = weir.wire()) {
            send(wire, "quiet", call(1, "T1").replace("{}", "{\"secret\":\"canary-argument\"}"));
            wire.answer();
            wire.send(post(K1, call(2, "T1"), "X-Request-ID: query\r\n")
                    .replace("POST /mcp", "POST /mcp?token=canary-query"));
            wire.answer();
            wire.send(post("canary-credential", call(3, "T1"), "X-Request-ID: wrong\r\n"));
            wire.answer();
        }
        assertLines("wrong", "request_end");
        assertThat(field(lines.of("wrong").get(0), "principal")).isEqualTo("address:127.0.0.1");
        assertThat(field(lines.of("wrong").get(0), "client")).isEmpty();
        assertThat(lines.events)
                .allSatisfy(event -> assertThat(event.getMessage() + event.getKeyValuePairs())
                        .doesNotContain("canary")
                        .doesNotContain(K1));
    }
}
