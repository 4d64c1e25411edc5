package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.upstream.Access;
import dev.weir.upstream.Fleet;
import dev.weir.upstream.Limits;
import dev.weir.upstream.Manners;
import dev.weir.upstream.TargetCall;
import dev.weir.upstream.TargetRule;
import dev.weir.upstream.Targets;
import dev.weir.upstream.Upstream;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A route with two targets: who goes where, and what becomes of a target that is dead. */
@Timeout(60)
class TargetsTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}";
    private static final StubUpstream.Behaviour FINE = (request, line) -> line.json(200, "{}");
    private static final StubUpstream.Behaviour BUSY = (request, line) -> line.json(503, "{}");

    private volatile StubUpstream.Behaviour ofA = FINE;
    private volatile StubUpstream.Behaviour ofB = FINE;
    private StubUpstream a;
    private StubUpstream b;
    private Front front;

    @BeforeEach
    void start() throws Exception {
        a = new StubUpstream((request, line) -> ofA.answer(request, line));
        b = new StubUpstream((request, line) -> ofB.answer(request, line));
        front = Front.to(route(Front.limits(Front.FIRST_BYTE, Front.IDLE)));
    }

    @AfterEach
    void stop() throws IOException {
        front.close();
        a.close();
        b.close();
    }

    private Upstream route(Limits limits) {
        return new Upstream("/mcp", a.base(), limits, Manners.MCP, Access.PLAIN, new Fleet(List.of(b.base()), null));
    }

    private Wire.Answer call(String owner, String... headers) throws IOException {
        try (Wire wire = new Wire(front.port())) {
            wire.post(CALL, "Test-Owner: " + owner + "\r\n" + String.join("", headers));
            return wire.answer();
        }
    }

    /** Somebody whose calls go to a target. */
    private String ownerOf(URI home) {
        return ownerOf(home, 0);
    }

    private String ownerOf(URI home, int from) {
        for (int i = from; ; i++) {
            String owner = "client:" + i;
            TargetCall call = front.targets().choose(route(Front.limits(Front.FIRST_BYTE, Front.IDLE)), owner, null);
            call.left();
            if (call.upstream().base().equals(home)) {
                return owner;
            }
        }
    }

    private boolean isUp(URI target) {
        return front.targets().states().stream()
                .filter(state -> state.target().equals(target))
                .allMatch(Targets.State::up);
    }

    private void takeOutA(String owner) throws IOException {
        ofA = BUSY;
        for (int i = 0; i < TargetRule.DEFAULT.calls(); i++) {
            assertThat(isUp(a.base())).isTrue();
            assertThat(call(owner).status()).isEqualTo(503);
        }
        await().until(() -> !isUp(a.base()));
    }

    @Test
    void allCallsOfOneOwnerGoToOneTargetAndOwnersAreSpread() throws Exception {
        int onlyA = 0;
        for (int i = 0; i < 40; i++) {
            int before = a.received().size();
            for (int n = 0; n < 3; n++) {
                assertThat(call("client:" + i).status()).isEqualTo(200);
            }
            int more = a.received().size() - before;
            assertThat(more).isIn(0, 3);
            onlyA += more / 3;
        }
        assertThat(onlyA).isBetween(8, 32);
        assertThat(a.received().size() + b.received().size()).isEqualTo(120);
    }

    /** Three targets of which one goes: nobody moves whose target is still there. */
    @Test
    void whenATargetGoesOnlyItsOwnersMove() {
        URI c = URI.create("http://127.0.0.1:1/c");
        Limits limits = Front.limits(Front.FIRST_BYTE, Front.IDLE);
        Upstream three = new Upstream(
                "/mcp", a.base(), limits, Manners.MCP, Access.PLAIN, new Fleet(List.of(b.base(), c), null));
        Set<URI> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            URI before = front.targets()
                    .choose(three, "client:" + i, null)
                    .upstream()
                    .base();
            URI after = front.targets()
                    .choose(route(limits), "client:" + i, null)
                    .upstream()
                    .base();
            seen.add(before);
            if (!before.equals(c)) {
                assertThat(after).isEqualTo(before);
            }
        }
        assertThat(seen).hasSize(3);
    }

    @Test
    void aTargetThatFailsThreeTimesIsLeftOutUntilOneCallHasFoundThatItIsBack() throws Exception {
        String owner = ownerOf(a.base());
        takeOutA(owner);
        assertThat(call(owner).status()).as("the other one").isEqualTo(200);
        assertThat(a.received()).hasSize(3);
        front.sweepAfter(TargetRule.DEFAULT.pause().plusSeconds(1));
        CountDownLatch release = new CountDownLatch(1);
        ofA = (request, line) -> {
            release.await();
            line.json(200, "{}");
        };
        try (Wire finder = new Wire(front.port())) {
            finder.post(CALL, "Test-Owner: " + owner + "\r\n");
            await().until(() -> a.received().size() == 4);
            assertThat(call(owner).status())
                    .as("one finds out, the others do not wait")
                    .isEqualTo(200);
            assertThat(a.received()).hasSize(4);
            assertThat(isUp(a.base())).isFalse();
            release.countDown();
            assertThat(finder.answer().status()).isEqualTo(200);
        }
        await().until(() -> isUp(a.base()));
        assertThat(call(owner).status()).isEqualTo(200);
        assertThat(a.received()).hasSize(5);
    }

    @Test
    void aTargetThatIsStillDeadIsLeftAloneForAnotherWhile() throws Exception {
        String owner = ownerOf(a.base());
        takeOutA(owner);
        front.sweepAfter(TargetRule.DEFAULT.pause().plusSeconds(1));
        assertThat(call(owner).status()).isEqualTo(503);
        await().until(() -> front.underWay() == 0);
        assertThat(call(owner).status()).isEqualTo(200);
        assertThat(a.received()).hasSize(4);
    }

    @Test
    void aGoodAnswerBetweenFailuresForgivesThem() throws Exception {
        String owner = ownerOf(a.base());
        for (int i = 0; i < 4; i++) {
            ofA = BUSY;
            assertThat(call(owner).status()).isEqualTo(503);
            assertThat(call(owner).status()).isEqualTo(503);
            ofA = FINE;
            assertThat(call(owner).status()).isEqualTo(200);
        }
        ofA = (request, line) -> line.json(404, "{}");
        for (int i = 0; i < 4; i++) {
            assertThat(call(owner).status()).as("the caller's own fault").isEqualTo(404);
        }
        assertThat(isUp(a.base())).isTrue();
        assertThat(b.received()).isEmpty();
    }

    @Test
    void aCallThatCouldNotBeSentGoesToTheNextTarget() throws Exception {
        String owner = ownerOf(a.base());
        a.close();
        for (int i = 0; i < 3; i++) {
            assertThat(call(owner).status()).isEqualTo(200);
        }
        await().until(() -> !isUp(a.base()));
        assertThat(b.received()).hasSize(3).allMatch(request -> request.body().equals(CALL));
        assertThat(front.targets().states())
                .filteredOn(state -> !state.up())
                .singleElement()
                .satisfies(state -> assertThat(state.by()).startsWith("calls: java.net.ConnectException"));
    }

    @Test
    void aCallThatMayHaveRunIsNeverSentAgain() throws Exception {
        String owner = ownerOf(a.base());
        ofA = (request, line) -> line.hangUp();
        assertThat(call(owner).status()).isEqualTo(502);
        assertThat(a.received()).hasSize(1);
        assertThat(b.received()).isEmpty();
    }

    @Test
    void whereAllAreDeadTheFirstIsAskedAndTheClientToldTheTruth() throws Exception {
        String owner = ownerOf(a.base());
        ofA = BUSY;
        ofB = BUSY;
        for (int i = 0; i < 8; i++) {
            assertThat(call(owner).status()).isEqualTo(503);
        }
        ofA = FINE;
        assertThat(call(owner).status()).isEqualTo(200);
        await().until(() -> isUp(a.base()));
    }

    @Test
    void aTargetThatIsMerelyFullIsNotLeftForAnother() throws Exception {
        front.close();
        front = Front.to(route(new Limits(Duration.ofSeconds(3), Front.FIRST_BYTE, Front.IDLE, null, 1, 0, 0)));
        String owner = ownerOf(a.base());
        CountDownLatch release = new CountDownLatch(1);
        ofA = (request, line) -> {
            release.await();
            line.json(200, "{}");
        };
        try (Wire first = new Wire(front.port())) {
            first.post(CALL, "Test-Owner: " + owner + "\r\n");
            await().until(() -> a.received().size() == 1);
            for (int i = 0; i < 4; i++) {
                assertThat(call(owner).status()).isEqualTo(503);
            }
            release.countDown();
            assertThat(first.answer().status()).isEqualTo(200);
        }
        assertThat(b.received()).isEmpty();
        assertThat(isUp(a.base())).isTrue();
    }

    @Test
    void aSessionThatWasOpenedElsewhereDuringAnOutageStaysThere() throws Exception {
        String owner = ownerOf(a.base());
        takeOutA(owner);
        ofB = (request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Mcp-Session-Id: s-of-b\r\nContent-Length: 2\r\n\r\n{}");
        SessionIds ids = new SessionIds(Front.SEALS);
        String told = ids.tell(owner, "/mcp", "s-of-b");
        assertThat(call(owner).head().values("Mcp-Session-Id")).containsExactly(told);
        ofA = FINE;
        front.sweepAfter(TargetRule.DEFAULT.pause().plusSeconds(1));
        assertThat(call(owner).status()).isEqualTo(200);
        await().until(() -> isUp(a.base()));
        int atA = a.received().size();
        assertThat(call(owner, "Mcp-Session-Id: " + told + "\r\n").status()).isEqualTo(200);
        assertThat(a.received()).hasSize(atA);
        assertThat(call(owner, "Mcp-Session-Id: " + ids.tell(owner, "/mcp", "another") + "\r\n")
                        .status())
                .isEqualTo(200);
        assertThat(a.received()).hasSize(atA + 1);
        String other = ownerOf(a.base(), 1_000);
        String others = ids.tell(other, "/mcp", "s-of-b");
        assertThat(call(other, "Mcp-Session-Id: " + others + "\r\n").status()).isEqualTo(200);
        assertThat(a.received())
                .as("nobody is led by a session of another that has the same id")
                .hasSize(atA + 2);
    }

    @Test
    void messagesOfAStreamGoToTheTargetThatHasTheStream() throws Exception {
        String owner = ownerOf(a.base());
        ofA = (request, line) -> {
            if (request.requestLine().startsWith("GET")) {
                line.head("text/event-stream");
                line.chunk("event: endpoint\ndata: /messages?sessionId=abc\n\n");
                line.isLeft();
            } else {
                line.json(503, "{}");
            }
        };
        try (Wire stream = new Wire(front.port());
                Wire client = new Wire(front.port())) {
            stream.request("GET", "/mcp", "Accept: text/event-stream\r\nTest-Owner: " + owner + "\r\n");
            assertThat(stream.head().status()).isEqualTo(200);
            String told = stream.textChunk();
            String address = told.substring(told.indexOf("/mcp"), told.length() - 2);
            for (int i = 0; i < 5; i++) {
                client.request(
                        "POST",
                        address,
                        "Content-Type: application/json\r\nContent-Length: 0\r\nTest-Owner: " + owner + "\r\n");
                assertThat(client.answer().status()).isEqualTo(503);
            }
            assertThat(a.received()).hasSize(6);
            assertThat(b.received()).isEmpty();
        }
    }
}
