package dev.weir.app;

import static dev.weir.app.CircuitRig.FAILING;
import static dev.weir.app.CircuitRig.GOOD;
import static dev.weir.app.CircuitRig.LIST;
import static dev.weir.app.CircuitRig.RESULT;
import static dev.weir.app.CircuitRig.route;
import static dev.weir.app.RunningWeir.K1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.weir.upstream.Breaker;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an operator decides of circuits, what callers are told of an open one, and where its state is seen. */
@Timeout(60)
class CircuitPolicyTest {

    private static final StubUpstream.Behaviour SLUGGISH = (request, line) -> {
        Thread.sleep(550);
        line.json(200, RESULT);
    };

    @TempDir
    Path directory;

    @Test
    void eachColumnHasItsEffect() throws Exception {
        try (CircuitRig rig = CircuitRig.start(
                directory,
                route("off", "breaker_enabled", "FALSE"),
                route("failures", "breaker_failures", "3"),
                route("share", "breaker_failures", "0", "breaker_failure_percent", "60", "breaker_min_calls", "2"),
                route("few", "breaker_failures", "0", "breaker_min_calls", "5"),
                route("window", "breaker_failures", "0", "breaker_min_calls", "4", "breaker_window_seconds", "1"),
                route("slow", "breaker_slow_ms", "500", "breaker_slow_percent", "75", "breaker_min_calls", "4"),
                route("brief", "breaker_failures", "1", "breaker_open_seconds", "1", "breaker_probes", "3"))) {
            for (String name : List.of("off", "failures", "few", "window", "brief")) {
                rig.behave(name, FAILING);
            }
            openAfter(rig, "brief", 1);
            assertThat(rig.call("brief").head().values("Retry-After")).containsExactly("1");
            long opened = System.nanoTime();
            for (int n = 0; n < 3; n++) {
                rig.run("window");
            }

            for (int n = 0; n < 30; n++) {
                rig.run("off");
            }
            assertThat(rig.isOpen("off")).isFalse();
            assertThat(rig.state("off")).isEqualTo("none");

            openAfter(rig, "failures", 3);

            for (StubUpstream.Behaviour next : List.of(GOOD, GOOD, FAILING, FAILING)) {
                rig.behave("share", next);
                rig.run("share");
            }
            openAfter(rig, "share", 1);

            openAfter(rig, "few", 5);

            rig.run("slow");
            rig.run("slow");
            rig.behave("slow", SLUGGISH);
            atOnce(rig, "slow", 2);
            assertThat(rig.state("slow")).isEqualTo("closed");
            atOnce(rig, "slow", 4);
            assertThat(rig.isOpen("slow")).isTrue();

            CountDownLatch goOn = new CountDownLatch(1);
            rig.behave("brief", (request, line) -> {
                goOn.await();
                line.json(200, RESULT);
            });
            await().until(() ->
                    System.nanoTime() - opened > Duration.ofMillis(2_100).toNanos());
            List<Wire> probes = new ArrayList<>();
            for (int n = 0; n < 3; n++) {
                probes.add(rig.send("brief"));
            }
            await().until(() -> rig.received("brief") == 4);
            assertThat(rig.isOpen("brief")).isTrue();
            goOn.countDown();
            for (Wire probe : probes) {
                assertThat(probe.answer().status()).isEqualTo(200);
            }
            assertThat(rig.state("brief")).isEqualTo("closed");

            // The three failures of before are forgotten.
            for (int n = 0; n < 3; n++) {
                rig.run("window");
            }
            openAfter(rig, "window", 1);
        }
    }

    private static void atOnce(CircuitRig rig, String name, int calls) throws Exception {
        List<Wire> wires = new ArrayList<>();
        for (int n = 0; n < calls; n++) {
            wires.add(rig.send(name));
        }
        for (Wire wire : wires) {
            assertThat(wire.answer().status()).isEqualTo(200);
        }
    }

    private static void openAfter(CircuitRig rig, String name, int calls) throws Exception {
        for (int n = 0; n < calls; n++) {
            assertThat(rig.call(name).body()).as(name).doesNotContain("circuit_open");
        }
        assertThat(rig.isOpen(name)).as(name).isTrue();
    }

    @Test
    void anEditElsewhereLeavesAnOpenCircuitOpenAndAnotherRuleOrUpstreamMakesAFreshOne() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("a"), route("b"), route("c"))) {
            for (String name : List.of("a", "b", "c")) {
                rig.behave(name, FAILING);
                openAfter(rig, name, 5);
                rig.behave(name, GOOD);
            }
            rig.weir.sql("INSERT INTO route (prefix, upstream_url) VALUES ('/elsewhere', 'http://127.0.0.1:1')");
            rig.awaitState("elsewhere", "closed");
            rig.weir.sql("UPDATE route SET rate_per_second = 1000, burst = 1000 WHERE prefix = '/a'");
            rig.weir.sql("UPDATE route SET breaker_failures = 7 WHERE prefix = '/b'");
            rig.weir.sql("UPDATE route SET upstream_url = '" + rig.upstream.base() + "/other' WHERE prefix = '/c'");
            rig.awaitState("b", "closed");
            rig.awaitState("c", "closed");
            assertThat(rig.call("b").status()).isEqualTo(200);
            assertThat(rig.call("c").status()).isEqualTo(200);
            assertThat(rig.state("a")).isEqualTo("open");
            assertThat(rig.isOpen("a")).isTrue();
            rig.behave("b", FAILING);
            openAfter(rig, "b", 7);
        }
    }

    @Test
    void theBreakerOfARemovedRouteIsGoneFromHealthAndNumbers() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("gone"), route("kept"))) {
            rig.behave("gone", FAILING);
            openAfter(rig, "gone", 5);
            assertThat(Scrape.of(rig.weir).value("weir_breaker_state{route=\"/gone\",state=\"open\"}"))
                    .isEqualTo(1);
            rig.weir.sql("DELETE FROM route WHERE prefix = '/gone'");
            rig.awaitState("gone", "none");
            await().untilAsserted(() -> assertThat(rig.weir.probe("/health")).contains("\"status\":\"up\""));
            assertThat(Scrape.of(rig.weir).answer().body())
                    .doesNotContain("/gone")
                    .contains("weir_breaker_state{route=\"/kept\",state=\"closed\"} 1");
            rig.weir.sql("INSERT INTO route (prefix, upstream_url) VALUES ('/gone', 'http://127.0.0.1:1')");
            rig.awaitState("gone", "closed");
            assertThat(Scrape.of(rig.weir).value("weir_breaker_state{route=\"/gone\",state=\"closed\"}"))
                    .isEqualTo(1);
        }
    }

    @Test
    void whoeverCallsIsToldWhichRouteRestsAndUntilWhen() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("resting", "batch", "'judge'"))) {
            rig.behave("resting", FAILING);
            openAfter(rig, "resting", 5);
            Instant asked = Instant.now();
            Wire.Answer answer = rig.send(
                            "resting", K1, "{\"jsonrpc\":\"2.0\",\"id\":\"r-7\",\"method\":\"tools/list\"}")
                    .answer();
            Instant told = Instant.now();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            long seconds = Long.parseLong(answer.head().values("Retry-After").get(0));
            assertThat(seconds).isBetween(20L, 30L);
            Matcher body = Pattern.compile("\\{\"jsonrpc\":\"2.0\",\"id\":\"r-7\",\"error\":\\{\"code\":503,"
                            + "\"message\":\"The tool server behind \\[/resting] keeps failing, so no calls are sent to it now."
                            + " The next try is in " + seconds + "s\\.\",\"data\":\\{\"error\":\"circuit_open\","
                            + "\"route\":\"/resting\",\"retryAfterMs\":(\\d+),\"nextProbeAt\":\"([^\"]+)\","
                            + "\"requestId\":\"[^\"]+\"}}}")
                    .matcher(answer.body());
            assertThat(body.matches()).as(answer.body()).isTrue();
            long millis = Long.parseLong(body.group(1));
            assertThat(seconds).isEqualTo((millis + 999) / 1000);
            assertThat(Instant.parse(body.group(2)))
                    .isBetween(asked.plusMillis(millis - 1), told.plusMillis(millis + 2));

            String plain = "{\"error\":\"circuit_open\",\"route\":\"/resting\",\"retryAfterMs\":";
            for (String message : List.of(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")) {
                Wire.Answer refused = rig.send("resting", K1, message).answer();
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.body()).startsWith(plain);
            }
            Wire stream = rig.wire();
            stream.send("GET /resting HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                    + "\r\nAccept: text/event-stream\r\n\r\n");
            Wire.Answer noStream = stream.answer();
            assertThat(noStream.status()).isEqualTo(503);
            assertThat(noStream.body()).startsWith(plain);
            assertThat(rig.send("resting", K1, "[" + LIST + "," + LIST.replace("1,", "2,") + "]")
                            .answer()
                            .body())
                    .matches("\\[\\{.*\"id\":1,.*\"circuit_open\".*},\\{.*\"id\":2,.*\"circuit_open\".*}]");
            assertThat(rig.received("resting")).isEqualTo(5);
        }
    }

    @Test
    void callsThatMeetAnOpenCircuitAreNoThrottlesNoStrikesAndHoldNoSlot() throws Exception {
        try (CircuitRig rig = CircuitRig.start(
                directory,
                route("resting"),
                "UPDATE tool_tier SET rate_per_second = 1000, burst = 1000, max_concurrent = 1 WHERE name = 'heavy'",
                "INSERT INTO tool (route, name, tier) VALUES ('/resting', 'T1', 'heavy')",
                "INSERT INTO setting (name, content) VALUES ('ban.count', 'every')")) {
            rig.behave("resting", FAILING);
            openAfter(rig, "resting", 5);
            Wire wire = rig.wire();
            for (int n = 0; n < 30; n++) {
                wire.send(CircuitRig.post("resting", K1, RunningWeir.call(n, "T1")));
                assertThat(wire.answer().body()).contains("\"id\":" + n, "\"circuit_open\"");
            }
            Scrape numbers = Scrape.of(rig.weir);
            for (String level : List.of("tool", "concurrency", "channel")) {
                assertThat(numbers.value("weir_decisions_total{decision=\"throttle\",level=\"" + level + "\"}"))
                        .as(level)
                        .isLessThanOrEqualTo(0);
            }
            assertThat(numbers.value("weir_breaker_rejected_total{route=\"/resting\"}"))
                    .isEqualTo(31);
        }
    }

    @Test
    void healthNumbersAndLogSayHowACircuitStands() throws Exception {
        try (LogLines log = new LogLines(Breaker.class);
                CircuitRig rig = CircuitRig.start(directory, route("seen", "breaker_open_seconds", "1"))) {
            assertThat(rig.state("seen")).isEqualTo("closed");
            assertThat(rig.weir.probe("/health")).startsWith("200 {\"status\":\"up\"");
            rig.behave("seen", FAILING);
            openAfter(rig, "seen", 5);
            assertThat(rig.weir.probe("/health"))
                    .startsWith("200 {\"status\":\"degraded\",\"reason\":\"the circuit of [/seen] is open")
                    .containsPattern(
                            "\"/seen\":\\{\"state\":\"open\",\"since\":\"[^\"]+Z\",\"next_probe\":\"[^\"]+Z\"}");
            assertThat(rig.weir.probe("/ready")).startsWith("200 ");
            Scrape open = Scrape.of(rig.weir);
            assertThat(open.value("weir_breaker_state{route=\"/seen\",state=\"open\"}"))
                    .isEqualTo(1);
            assertThat(open.value("weir_breaker_state{route=\"/seen\",state=\"closed\"}"))
                    .isZero();
            assertThat(open.value("weir_breaker_rejected_total{route=\"/seen\"}"))
                    .isEqualTo(1);
            assertThat(rig.counted("seen", "failure")).isEqualTo(5);
            rig.behave("seen", GOOD);
            CircuitRig.sleepUntil(rig.restUntil("seen"));
            assertThat(rig.call("seen").status()).isEqualTo(200);
            assertThat(rig.weir.probe("/health")).contains("the circuit of [/seen] is half_open");
            assertThat(rig.call("seen").status()).isEqualTo(200);
            assertThat(rig.weir.probe("/health")).startsWith("200 {\"status\":\"up\"");
            assertThat(rig.counted("seen", "success")).isEqualTo(2);
            assertThat(log.of("breaker_opened")).singleElement().satisfies(line -> {
                assertThat(line.getLevel()).isEqualTo(Level.WARN);
                assertThat(LogLines.field(line, "route")).isEqualTo("/seen");
                assertThat(LogLines.field(line, "why"))
                        .isEqualTo("5 failures in a row, the last: the upstream answered 503");
            });
            assertThat(log.of("breaker_half_open")).hasSize(1);
            assertThat(log.of("breaker_closed")).hasSize(1);
        }
    }
}
