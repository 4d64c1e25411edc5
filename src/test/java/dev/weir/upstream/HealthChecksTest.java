package dev.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What targets are asked, what their answers are taken for, and what is left behind. */
@Timeout(60)
class HealthChecksTest {

    private final AtomicLong now = new AtomicLong();
    private final JettyUpstreamClient client = JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults());
    private final Targets targets = new Targets(now::get, InstantSource.system());
    private final HealthChecks checks = new HealthChecks(client, targets, now::get);
    private volatile StubUpstream.Behaviour behaviour = (request, line) -> line.json(200, "{}");
    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        upstream.close();
    }

    private Upstream route(boolean mcp, String path) {
        return new Upstream(
                "/mcp",
                upstream.base(),
                Bounds.limits(Bounds.FIRST_BYTE, Bounds.IDLE),
                Manners.MCP,
                new Access(null, List.of(new Header("Authorization", "Bearer of-weir"))),
                new Fleet(List.of(), new Fleet.Check(mcp, path, Duration.ofSeconds(10))));
    }

    private boolean isUp() {
        return targets.states().stream().allMatch(Targets.State::up);
    }

    private String by() {
        return targets.states().get(0).by();
    }

    /** Asks as if the pause were over, but takes no time from a question that has no answer yet. */
    private void ask(Upstream route) {
        await().until(() -> !checks.isAsking());
        goOn(route);
    }

    /** The same for servers that do not answer. */
    private void goOn(Upstream route) {
        now.addAndGet(Duration.ofSeconds(11).toNanos());
        checks.run(List.of(route));
    }

    private void askTwice(Upstream route) {
        ask(route);
        await().until(() -> !upstream.received().isEmpty());
        // The end of the first question is not seen from here, and while it lasts there is no second.
        await().until(() -> {
            ask(route);
            return !isUp();
        });
    }

    @Test
    void anHttpServerIsWellThatAnswersAGetWithTwoOrThreeHundred() {
        Upstream route = route(false, "/up?deep");
        behaviour = (request, line) -> line.json(404, "{}");
        askTwice(route);
        assertThat(by()).isEqualTo("check: status 404");
        StubUpstream.Received request = upstream.received().get(0);
        assertThat(request.requestLine()).isEqualTo("GET /up?deep HTTP/1.1");
        assertThat(request.values("Authorization")).containsExactly("Bearer of-weir");
        behaviour = (request2, line) -> line.send("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n");
        await().until(() -> {
            ask(route);
            return isUp();
        });
        assertThat(by()).isEqualTo("check");
        assertThat(upstream.received()).noneMatch(asked -> asked.requestLine().contains("/x"));
    }

    @Test
    void oneBadAnswerIsNotYetADeadTarget() throws Exception {
        Upstream route = route(false, "");
        CountDownLatch failed = new CountDownLatch(1);
        behaviour = (request, line) -> {
            line.json(500, "{}");
            failed.countDown();
        };
        ask(route);
        failed.await();
        behaviour = (request, line) -> line.json(200, "{}");
        await().until(() -> {
            ask(route);
            return upstream.received().size() >= 4;
        });
        assertThat(isUp()).isTrue();
    }

    @Test
    void nobodyIsAskedBeforeItIsDue() throws Exception {
        Upstream route = route(false, "");
        ask(route);
        await().until(() -> upstream.received().size() == 1);
        for (int i = 0; i < 100; i++) {
            checks.run(List.of(route));
            Thread.onSpinWait();
        }
        now.addAndGet(Duration.ofSeconds(9).toNanos());
        await().during(Duration.ofMillis(200)).until(() -> {
            checks.run(List.of(route));
            return upstream.received().size() == 1;
        });
    }

    @Test
    void aNewerMcpServerIsAskedToTellOfItselfAndNothingElse() {
        behaviour =
                (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":\"weir-health-check\",\"result\":{}}");
        Upstream route = route(true, "");
        takeOut(route);
        await().until(() -> {
            ask(route);
            return isUp();
        });
        assertThat(upstream.received()).isNotEmpty().allSatisfy(request -> {
            assertThat(request.requestLine()).isEqualTo("POST /mcp HTTP/1.1");
            assertThat(request.values("MCP-Protocol-Version")).containsExactly("2026-07-28");
            assertThat(request.values("Mcp-Method")).containsExactly("server/discover");
            assertThat(request.values("Authorization")).containsExactly("Bearer of-weir");
            assertThat(request.body()).contains("\"method\":\"server/discover\"", "2026-07-28");
        });
    }

    private void takeOut(Upstream route) {
        for (int i = 0; i < 3; i++) {
            targets.health(route, route.base()).callFailed("test");
        }
        assertThat(isUp()).isFalse();
    }

    /** As those of the TypeScript SDK: what is no initialize and names no session of theirs is a 400. */
    @Test
    void anOlderMcpServerThatRefusesInJsonRpcIsWellAndHasOpenedNothing() {
        behaviour = (request, line) -> line.json(
                400, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"No session\"},\"id\":null}");
        Upstream route = route(true, "");
        takeOut(route);
        await().until(() -> {
            ask(route);
            return isUp();
        });
        assertThat(upstream.received()).allMatch(request -> !request.body().contains("initialize"));
    }

    @Test
    void anOlderMcpServerThatRefusesInWordsIsAskedToInitializeAndTheSessionIsEnded() {
        behaviour = (request, line) -> {
            if (request.requestLine().startsWith("DELETE")) {
                line.send("HTTP/1.1 204 No Content\r\n\r\n");
            } else if (request.body().contains("\"initialize\"")) {
                line.send("HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nTransfer-Encoding: chunked\r\n\r\n");
                line.chunk(
                        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"weir-health-check\",\"result\":{}}\n\n");
                // Left open, as some do.
                line.isLeft();
            } else {
                line.send("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nnot found");
            }
        };
        Upstream route = route(true, "");
        takeOut(route);
        ask(route);
        await().until(this::isUp);
        await().until(() -> upstream.received().size() == 3);
        assertThat(upstream.received().get(0).values("Mcp-Session-Id")).containsExactly("weir-health-check");
        assertThat(upstream.received().get(1).values("Mcp-Session-Id")).isEmpty();
        StubUpstream.Received last = upstream.received().get(2);
        assertThat(last.requestLine()).isEqualTo("DELETE /mcp HTTP/1.1");
        assertThat(last.values("Mcp-Session-Id")).containsExactly("s1");
    }

    @Test
    void whoIsNoMcpServerIsNotWell() {
        behaviour = (request, line) ->
                line.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<p>Welcome!</p>");
        askTwice(route(true, ""));
        assertThat(by()).isEqualTo("check: status 200 to initialize");
    }

    @Test
    void whoRefusesTheCredentialOfTheRouteIsNotWell() {
        behaviour = (request, line) -> line.json(401, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1},\"id\":null}");
        askTwice(route(true, ""));
        assertThat(by()).isEqualTo("check: status 401 to server/discover");
    }

    @Test
    void whoDoesNotAnswerIsGivenUpAfterFiveSecondsAndHoldsNobodyUp() {
        behaviour = (request, line) -> line.isLeft();
        Upstream route = route(true, "");
        goOn(route);
        await().until(() -> !upstream.received().isEmpty());
        await().until(() -> {
            goOn(route);
            return !isUp();
        });
        assertThat(by()).isEqualTo("check: no answer within 5 s");
    }

    @Test
    void whoCannotBeReachedIsNotWell() throws Exception {
        upstream.close();
        Upstream route = route(true, "");
        await().until(() -> {
            ask(route);
            return !isUp();
        });
        assertThat(by()).startsWith("check: java.net.ConnectException");
    }

    @Test
    void whatIsNoLongerARouteIsForgotten() {
        Upstream route = route(true, "");
        targets.retain(List.of(route));
        assertThat(targets.states()).hasSize(1);
        checks.run(List.of(route));
        targets.retain(List.of());
        checks.run(List.of());
        assertThat(targets.states()).isEmpty();
    }
}
