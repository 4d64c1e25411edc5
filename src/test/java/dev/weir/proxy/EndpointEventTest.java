package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bytes are changed at the beginning of a stream, and which are held back. */
class EndpointEventTest {

    private final List<String> seen = new ArrayList<>();
    private final EndpointEvent events = new EndpointEvent(endpoint -> {
        seen.add(endpoint);
        return "/P";
    });

    private String pass(byte[] bytes, int from, int to) throws IOException {
        ByteBuffer passed = events.pass(ByteBuffer.wrap(bytes, from, to - from));
        return StandardCharsets.ISO_8859_1.decode(passed).toString();
    }

    private String pass(String written) throws IOException {
        byte[] bytes = written.getBytes(StandardCharsets.ISO_8859_1);
        return pass(bytes, 0, bytes.length);
    }

    private static String ends(String written) {
        return written.replace("#n", "\n")
                .replace("#r", "\r")
                .replace("#B", "\u00EF\u00BB\u00BF")
                .replace('_', ' ');
    }

    @ParameterizedTest
    @CsvSource({
        "event: endpoint#ndata: /m?s=1#n#n, event: endpoint#ndata: /P#n#n",
        "event: endpoint#r#ndata: /m?s=1#r#n#r#n, event: endpoint#r#ndata: /P#r#n#r#n",
        "event: endpoint#rdata: /m?s=1#r#r, event: endpoint#rdata: /P#r#r",
        "event:endpoint#ndata:/m?s=1#n#n, event:endpoint#ndata:/P#n#n",
        "event:__endpoint_#ndata:___/m?s=1__#n#n, event:__endpoint_#ndata:___/P__#n#n",
        "#Bevent: endpoint#ndata: /m?s=1#n#n, #Bevent: endpoint#ndata: /P#n#n",
        ": hello#n#nevent: endpoint#ndata: /m?s=1#n#n, : hello#n#nevent: endpoint#ndata: /P#n#n",
        ":#nevent: endpoint#ndata: /m?s=1#n#n, :#nevent: endpoint#ndata: /P#n#n",
        "retry: 5#n#nevent: endpoint#ndata: /m?s=1#n#n, retry: 5#n#nevent: endpoint#ndata: /P#n#n",
        "event: ping#ndata: x#n#nevent: endpoint#ndata: /m?s=1#n#n, event: ping#ndata: x#n#nevent: endpoint#ndata: /P#n#n",
        "id: 7#nevent: endpoint#n: c#ndata: /m?s=1#nretry: 1#n#n, id: 7#nevent: endpoint#n: c#ndata: /P#nretry: 1#n#n",
        "event: endpoint#r#ndata: /m?s=1#r#n#r#ndata: a#n#n, event: endpoint#r#ndata: /P#r#n#r#ndata: a#n#n"
    })
    void onlyTheAddressIsChangedWhereverTheBytesAreCut(String written, String expected) throws Exception {
        byte[] bytes = ends(written).getBytes(StandardCharsets.ISO_8859_1);
        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                EndpointEventTest fresh = new EndpointEventTest();
                String passed = fresh.pass(bytes, 0, first)
                        + fresh.pass(bytes, first, second)
                        + fresh.pass(bytes, second, bytes.length);
                assertThat(passed).as("cut at %d and %d", first, second).isEqualTo(ends(expected));
                assertThat(fresh.seen).containsExactly("/m?s=1");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"a\":1}#n#n",
                "data: one#ndata: two#n#n",
                "event: message#ndata: endpoint#n#n",
                "data: event: endpoint#n#n",
                ": event: endpoint#n#ndata: x#n#n",
                "Event: endpoint#ndata: /m#n#n",
                "event: endpoints#ndata: /m#n#n",
                "event:#ndata: /m#n#n",
                "event#ndata: /m#n#n",
                "eventendpoint#ndata: /m#n#n",
                "data#n#n",
                "id: 1#ndata:#n#ndata: x#n#n",
                "event: endpoint#n#ndata: x#n#n",
                "#Bdata: x#n#n",
                "#r#n#r#ndata: x#r#n#r#n"
            })
    void everythingElsePassesAsItIsWhereverTheBytesAreCut(String written) throws Exception {
        byte[] bytes = ends(written).getBytes(StandardCharsets.ISO_8859_1);
        for (int cut = 0; cut <= bytes.length; cut++) {
            EndpointEventTest fresh = new EndpointEventTest();
            assertThat(fresh.pass(bytes, 0, cut) + fresh.pass(bytes, cut, bytes.length))
                    .isEqualTo(ends(written));
            assertThat(fresh.seen).isEmpty();
        }
    }

    @Test
    void whatIsNoEndpointIsNotHeldBack() throws Exception {
        assertThat(pass("data: ha")).isEqualTo("data: ha");
        assertThat(pass("lf\n\n:comm")).isEqualTo("lf\n\n:comm");
    }

    @Test
    void halfAnEndpointEventIsHeldBack() throws Exception {
        assertThat(pass("event: endpoint\ndata: /m?s=1\n")).isEmpty();
        assertThat(pass("\n")).isEqualTo("event: endpoint\ndata: /P\n\n");
    }

    @Test
    void afterAMessageNothingIsLookedAt() throws Exception {
        pass("event: endpoint\ndata: /m\n\n");
        assertThat(events.isDone()).isFalse();
        pass("data: x\n\n");
        assertThat(events.isDone()).isTrue();
    }

    @Test
    void aSecondAddressIsRewrittenToo() throws Exception {
        assertThat(pass("event: endpoint\ndata: /a\n\nevent: endpoint\ndata: /b\n\n"))
                .isEqualTo("event: endpoint\ndata: /P\n\nevent: endpoint\ndata: /P\n\n");
        assertThat(seen).containsExactly("/a", "/b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "event: endpoint#ndata: /a#ndata: /b#n#n",
                "event: endpoint#nevent: message#ndata: /a#n#n",
                "data: /a#nevent: endpoint#n#n"
            })
    void anEventThatClientsCouldReadDifferentlyEndsTheStream(String written) {
        assertThatThrownBy(() -> pass(ends(written))).isInstanceOf(IOException.class);
        assertThat(seen).isEmpty();
    }

    @Test
    void anEventThatIsTooLongEndsTheStreamAndNothingFollows() throws Exception {
        String start = "event: endpoint\ndata: /";
        String most = "a".repeat(EndpointEvent.LONGEST - start.length());
        assertThat(pass(start + most)).isEmpty();
        assertThatThrownBy(() -> pass("a")).isInstanceOf(IOException.class);
        assertThat(pass("a\n\ndata: more\n\n")).isEmpty();
    }

    @Test
    void aCommentMayBeOfAnyLength() throws Exception {
        String comment = ":" + "c".repeat(3 * EndpointEvent.LONGEST) + "\n\n";
        assertThat(pass(comment)).isEqualTo(comment);
        assertThat(pass("event: endpoint\ndata: /m\n\n")).isEqualTo("event: endpoint\ndata: /P\n\n");
    }
}
