package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static dev.weir.app.TraceCollector.hex;
import static dev.weir.app.TraceCollector.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a collector is told of requests, and an upstream of the trace that they belong to. */
@Timeout(120)
class TraceTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String AGENT = "00f067aa0ba902b7";
    private static final String PARENT = "00-" + TRACE + "-" + AGENT + "-01";
    private static final String OTHER_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String OTHER_PARENT = "00-" + OTHER_TRACE + "-b7ad6b7169203331-01";
    private static final String MODERN = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"";
    private static final String[] MODERN_HEADERS = {
        "MCP-Protocol-Version: 2026-07-28\r\n", "Mcp-Method: tools/call\r\n", "Mcp-Name: echo\r\n"
    };

    @TempDir
    Path directory;

    private TraceCollector collector;
    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        collector = new TraceCollector();
        upstream = new StubUpstream((request, line) -> {
            if (request.requestLine().startsWith("GET")) {
                line.head("text/event-stream");
                line.chunk("data: 1\n\n");
                line.send("0\r\n\r\n");
            } else {
                boolean bad = request.body().contains("fails");
                line.json(bad ? 500 : 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}");
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        collector.close();
        upstream.close();
    }

    private RunningWeir weir(List<String> edits, String... settings) throws Exception {
        List<String> all = new ArrayList<>(
                List.of("mcp.otel.exporter-otlp-endpoint", collector.endpoint(), "mcp.otel.bsp-schedule-delay", "20"));
        all.addAll(List.of(settings));
        return RunningWeir.startWith(edits, directory, upstream.base(), all.toArray(String[]::new));
    }

    private static Wire.Answer ask(RunningWeir weir, String request) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(request);
            return wire.answer();
        }
    }

    private static String id(String id) {
        return "X-Request-ID: " + id + "\r\n";
    }

    private static String traceparent(String value) {
        return "traceparent: " + value + "\r\n";
    }

    private static String message(String tool, String meta) {
        return "{\"jsonrpc\":\"2.0\",\"id\":\"r-1\",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"_meta\":{" + meta + "},\"arguments\":{\"q\":\"canary-argument\"}}}";
    }

    private StubUpstream.Received last() {
        return upstream.received().get(upstream.received().size() - 1);
    }

    /** What the upstream was told, if that was the span. */
    private static String name(Span span) {
        String flags = String.format("%02x", span.getFlags() & 0xff);
        return "00-" + hex(span.getTraceId()) + "-" + hex(span.getSpanId()) + "-" + flags;
    }

    @Test
    void aCallIsOneTraceFromTheAgentOverWeirToTheUpstream() throws Exception {
        try (LogLines log = new LogLines(RequestLog.class);
                RunningWeir weir = weir(
                        List.of(),
                        "mcp.otel.exporter-otlp-compression",
                        "gzip",
                        "mcp.otel.exporter-otlp-headers",
                        "api-key=k-1")) {
            Wire.Answer answer = ask(
                    weir,
                    post(
                                    K1,
                                    message("echo", "\"a\":1"),
                                    traceparent(PARENT),
                                    "tracestate: a=1\r\n",
                                    "tracestate: b=2\r\n",
                                    id("t-1"))
                            .replace("/mcp HTTP", "/mcp?secret=canary-query HTTP"));
            assertThat(answer.status()).isEqualTo(200);

            Span server = collector.server("t-1");
            assertThat(hex(server.getTraceId())).isEqualTo(TRACE);
            assertThat(hex(server.getParentSpanId())).isEqualTo(AGENT);
            assertThat(server.getTraceState()).isEqualTo("a=1,b=2");
            assertThat(server.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
            assertThat(server.getName()).isEqualTo("tools/call echo");
            assertThat(server.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
            assertThat(text(server, "mcp.method.name")).isEqualTo("tools/call");
            assertThat(text(server, "gen_ai.tool.name")).isEqualTo("echo");
            assertThat(text(server, "gen_ai.operation.name")).isEqualTo("execute_tool");
            assertThat(text(server, "jsonrpc.request.id")).isEqualTo("r-1");
            assertThat(text(server, "http.request.method")).isEqualTo("POST");
            assertThat(text(server, "http.response.status_code")).isEqualTo("200");
            assertThat(text(server, "http.route")).isEqualTo("/mcp");
            assertThat(text(server, "url.path")).isEqualTo("/mcp");
            assertThat(text(server, "client.address")).isEqualTo("127.0.0.1");
            assertThat(text(server, "network.protocol.version")).isEqualTo("1.1");
            assertThat(text(server, "weir.decision")).isEqualTo("admit");
            assertThat(text(server, "error.type")).isEmpty();

            Span decide = collector.within(server, "decide");
            assertThat(decide.getStartTimeUnixNano()).isGreaterThanOrEqualTo(server.getStartTimeUnixNano());
            assertThat(decide.getEndTimeUnixNano())
                    .isBetween(decide.getStartTimeUnixNano(), server.getEndTimeUnixNano());

            Span call = collector.within(server, "POST");
            assertThat(call.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
            assertThat(call.getStartTimeUnixNano()).isGreaterThanOrEqualTo(decide.getEndTimeUnixNano());
            assertThat(text(call, "server.address")).isEqualTo("127.0.0.1");
            assertThat(text(call, "server.port"))
                    .isEqualTo(Integer.toString(upstream.base().getPort()));
            assertThat(text(call, "url.full")).isEqualTo(upstream.base().toString());
            assertThat(text(call, "http.response.status_code")).isEqualTo("200");
            assertThat(text(call, "weir.outcome")).isEqualTo("success");

            assertThat(last().values("traceparent")).containsExactly(name(call));
            assertThat(last().values("tracestate")).containsExactly("a=1,b=2");
            assertThat(last().body())
                    .as("of an older era, which names no trace")
                    .isEqualTo(message("echo", "\"a\":1"));

            assertThat(collector
                            .requests()
                            .get(0)
                            .getResourceSpans(0)
                            .getResource()
                            .toString())
                    .contains("service.name")
                    .contains("\"weir\"");
            assertThat(collector.heads().get(0))
                    .contains("gzip")
                    .contains("k-1")
                    .contains("application/x-protobuf");
            assertThat(collector.all()).doesNotContain("canary").doesNotContain(K1);
            await().until(() -> !log.of("request_end", "t-1").isEmpty());
            assertThat(LogLines.field(log.of("request_start", "t-1").get(0), "trace_id"))
                    .isEqualTo(TRACE);
            assertThat(LogLines.field(log.of("request_end", "t-1").get(0), "trace_id"))
                    .isEqualTo(TRACE);
        }
    }

    @Test
    void whatTheMessageSaysWinsAndGoesOnInTheMessage() throws Exception {
        try (RunningWeir weir = weir(List.of())) {
            String old = message("echo", "\"é\":1,\"traceparent\":\"" + PARENT + "\",\"tracestate\":\"k=v\"");
            ask(weir, post(K1, old, traceparent(OTHER_PARENT), id("m-1")));
            Span server = collector.server("m-1");
            assertThat(hex(server.getTraceId())).isEqualTo(TRACE);
            assertThat(hex(server.getParentSpanId())).isEqualTo(AGENT);
            assertThat(server.getLinksList())
                    .singleElement()
                    .satisfies(link -> assertThat(hex(link.getTraceId())).isEqualTo(OTHER_TRACE));
            String named = name(collector.within(server, "POST"));
            assertThat(last().values("traceparent")).containsExactly(named);
            assertThat(last().values("tracestate")).containsExactly("k=v");
            assertThat(last().body()).isEqualTo(old.replace(PARENT, named));

            String modern = message("echo", MODERN + ",\"a\":\"b\"");
            List<String> headers = new ArrayList<>(List.of(MODERN_HEADERS));
            headers.addAll(List.of(traceparent(OTHER_PARENT), id("m-2")));
            ask(weir, post(K1, modern, headers.toArray(String[]::new)));
            server = collector.server("m-2");
            assertThat(hex(server.getTraceId())).isEqualTo(OTHER_TRACE);
            assertThat(text(server, "mcp.protocol.version")).isEqualTo("2026-07-28");
            named = name(collector.within(server, "POST"));
            assertThat(last().body())
                    .isEqualTo(modern.replace("{" + MODERN, "{\"traceparent\":\"" + named + "\"," + MODERN));
        }
    }

    @Test
    void whatDoesNotNameATraceAsItShouldBeginsANewOne() throws Exception {
        List<String> bad = List.of(
                "ff" + PARENT.substring(2),
                "00-" + "0".repeat(32) + "-" + AGENT + "-01",
                "00-" + TRACE + "-" + "0".repeat(16) + "-01",
                PARENT.replace("4bf", "4BF"),
                PARENT + "-x",
                PARENT.substring(1),
                PARENT + "\r\ntraceparent: " + OTHER_PARENT);
        try (RunningWeir weir = weir(List.of())) {
            for (int i = 0; i < bad.size(); i++) {
                ask(weir, post(K1, call(1, "echo"), traceparent(bad.get(i)), "tracestate: a=1\r\n", id("bad-" + i)));
                Span server = collector.server("bad-" + i);
                assertThat(server.getParentSpanId().isEmpty()).as(bad.get(i)).isTrue();
                assertThat(hex(server.getTraceId())).isNotIn(TRACE, OTHER_TRACE);
                assertThat(last().values("traceparent")).containsExactly(name(collector.within(server, "POST")));
                assertThat(last().values("tracestate")).isEmpty();
            }
            String meta = message("echo", "\"traceparent\":\"" + bad.get(1) + "\"");
            ask(weir, post(K1, meta, traceparent(PARENT), id("bad-meta")));
            assertThat(hex(collector.server("bad-meta").getTraceId())).isEqualTo(TRACE);
            assertThat(last().body()).isEqualTo(meta);
        }
    }

    @Test
    void whoIsRefusedHasASpanThatSaysWhy() throws Exception {
        List<String> edits = List.of(
                "UPDATE tool_tier SET rate_per_second = 0.001, cooldown_seconds = 0 WHERE name = 'heavy'",
                "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'closed', 'heavy')",
                "INSERT INTO client_tool (client, route, tool, allowed) VALUES ('c1', '/mcp', 'closed', FALSE)",
                "INSERT INTO route (prefix, upstream_url) VALUES ('/away', 'http://127.0.0.1:1/mcp')");
        try (RunningWeir weir = weir(edits)) {
            ask(weir, post(K1, call(1, "closed"), id("forbidden")));
            Span forbidden = collector.server("forbidden");
            assertThat(text(forbidden, "weir.decision")).isEqualTo("forbid");
            assertThat(text(forbidden, "error.type")).isEqualTo("-32031");
            assertThat(text(forbidden, "rpc.response.status_code")).isEqualTo("-32031");
            assertThat(forbidden.getName()).as("a tool that was not let pass").isEqualTo("tools/call");
            assertThat(forbidden.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
            assertThat(collector.within(forbidden, "decide")).isNotNull();

            ask(weir, post(K1, "{\"jsonrpc\":", id("unreadable")));
            Span unreadable = collector.server("unreadable");
            assertThat(unreadable.getName()).isEqualTo("POST /mcp");
            assertThat(text(unreadable, "rpc.response.status_code")).isEqualTo("-32700");
            assertThat(text(unreadable, "http.response.status_code")).isEqualTo("400");

            ask(weir, post(K1, call(1, "echo"), id("nowhere")).replace("POST /mcp", "POST /nowhere"));
            Span nowhere = collector.server("nowhere");
            assertThat(text(nowhere, "error.type")).isEqualTo("404");
            assertThat(text(nowhere, "http.route")).isEmpty();

            ask(weir, post("wrong", call(1, "echo"), id("unknown")));
            assertThat(text(collector.server("unknown"), "error.type")).isIn("401", "-32001");

            ask(weir, post(K1, call(1, "echo"), "Origin: http://evil.example\r\n", id("origin")));
            assertThat(text(collector.server("origin"), "http.response.status_code"))
                    .isEqualTo("403");

            ask(weir, post(K1, call(1, "echo"), id("away")).replace("POST /mcp", "POST /away"));
            Span away = collector.server("away");
            assertThat(away.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
            Span call = collector.within(away, "POST");
            assertThat(call.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
            assertThat(text(call, "error.type")).isEqualTo("java.net.ConnectException");
            assertThat(text(call, "weir.outcome")).isEqualTo("failure");

            ask(weir, post(K1, call(1, "fails"), id("broken")));
            Span broken = collector.server("broken");
            assertThat(broken.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
            assertThat(text(collector.within(broken, "POST"), "error.type")).isEqualTo("500");

            throttleUntilBanned(weir);
        }
    }

    private void throttleUntilBanned(RunningWeir weir) throws IOException {
        String answer = "";
        int calls = 0;
        while (!answer.contains("-32030") && calls < 60) {
            answer = ask(weir, post(K1, call(1, "T1"), id("loop-" + ++calls))).body();
        }
        Span throttled = collector.span(span ->
                text(span, "weir.decision").equals("throttle") && span.getKind() == Span.SpanKind.SPAN_KIND_SERVER);
        assertThat(text(throttled, "weir.limit_level")).isEqualTo("tool");
        assertThat(text(throttled, "error.type")).isEqualTo("-32029");
        Span shut = collector.server("loop-" + calls);
        assertThat(text(shut, "weir.decision")).isEqualTo("shut");
        assertThat(answer).contains(text(shut, "weir.ban_id"));
        assertThat(text(shut, "weir.ban_id")).isNotEmpty();
    }

    @Test
    void aStreamHasASpanThatEndsWithIt() throws Exception {
        try (RunningWeir weir = weir(List.of())) {
            try (Wire wire = weir.wire()) {
                wire.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                        + "\r\nAccept: text/event-stream\r\n" + id("stream") + "\r\n");
                wire.answer();
            }
            Span server = collector.server("stream");
            assertThat(server.getName()).isEqualTo("GET /mcp");
            assertThat(collector.within(server, "GET").getEndTimeUnixNano())
                    .isGreaterThan(server.getStartTimeUnixNano());
        }
    }

    @Test
    void aCallThatOneTargetGotNothingOfIsSeenGoingToTheNext() throws Exception {
        String first = "UPDATE route SET upstream_url = 'http://127.0.0.1:1/mcp'";
        String second =
                "INSERT INTO route_target (route, url, enabled) VALUES ('/mcp', '" + upstream.base() + "', TRUE)";
        try (RunningWeir weir = weir(List.of(first, second))) {
            for (int i = 0; i < 6; i++) {
                ask(weir, post(K1, call(1, "echo"), id("turn-" + i)));
            }
            Span call = collector.span(span -> span.getEventsCount() > 0);
            assertThat(call.getEvents(0).getName()).isEqualTo("retry");
            assertThat(text(call, "url.full")).isEqualTo(upstream.base().toString());
            assertThat(text(call, "http.request.resend_count")).isEqualTo("1");
            assertThat(text(call, "weir.outcome")).isEqualTo("success");
        }
    }

    @Test
    void whoIsNotSampledMakesNoSpanAndTheTraceGoesOn() throws Exception {
        try (RunningWeir weir = weir(
                List.of(), "mcp.otel.traces-sampler", "parentbased_traceidratio", "mcp.otel.traces-sampler-arg", "0")) {
            ask(weir, post(K1, call(1, "echo"), id("none")));
            assertThat(last().values("traceparent"))
                    .singleElement()
                    .asString()
                    .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[02]");
            String unsampled = PARENT.substring(0, PARENT.length() - 1) + "0";
            ask(weir, post(K1, call(1, "echo"), traceparent(unsampled), id("not")));
            assertThat(last().values("traceparent"))
                    .singleElement()
                    .asString()
                    .matches("00-" + TRACE + "-(?!" + AGENT + ")[0-9a-f]{16}-00");
            ask(weir, post(K1, call(1, "echo"), traceparent(PARENT), id("sampled")));
            collector.server("sampled");
            assertThat(collector.spans())
                    .allMatch(span -> hex(span.getTraceId()).equals(TRACE));
        }
        assertThat(collector.spans()).hasSize(3);
    }

    @Test
    void whereNothingIsTracedEveryByteGoesOnAsItCame() throws Exception {
        String body = message("echo", MODERN + ",\"traceparent\":\"" + PARENT + "\"");
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base(), "mcp.otel.service-name", "x")) {
            List<String> headers = new ArrayList<>(List.of(MODERN_HEADERS));
            headers.addAll(List.of(traceparent(OTHER_PARENT), "tracestate: a=1\r\n"));
            ask(weir, post(K1, body, headers.toArray(String[]::new)));
            assertThat(last().values("traceparent")).containsExactly(OTHER_PARENT);
            assertThat(last().values("tracestate")).containsExactly("a=1");
            assertThat(last().body()).isEqualTo(body);
            assertThat(Scrape.of(weir).answer().body()).doesNotContain("weir_trace_spans");
        }
        assertThat(collector.attempts()).isZero();
    }
}
