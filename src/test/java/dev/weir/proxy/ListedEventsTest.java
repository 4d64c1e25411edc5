package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.mcp.ToolListing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools are cut out of the messages of a stream, and everything else of it passes as it is, each event at its end. */
class ListedEventsTest {

    private static final String LIST = "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"h\"},{\"name\":\"v\"}]}}";
    private static final String LEFT = "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"v\"}]}}";

    private final ListedEvents events = new ListedEvents(new ToolListing(name -> !name.equals("h")));

    private String pass(String piece) throws IOException {
        ByteBuffer passed = events.pass(ByteBuffer.wrap(piece.getBytes(StandardCharsets.UTF_8)));
        return StandardCharsets.UTF_8.decode(passed).toString();
    }

    private static final String[] UNCHANGED = {
        ": hello\n\n",
        "id: 7\ndata:\n\n",
        "retry: 10\n\n",
        "event: endpoint\ndata: /messages?sessionId=1\n\n",
        "event:message\r\ndata:{\"method\":\"m\",\ndata:\"params\":{}}\r\n\r\n",
        "data: {\"id\":1,\"result\":{\"tools\":[{\"name\":\"v\"}]}}\r\r",
        "data\n\n",
        "\n",
        "other: x\ndata: [1]\n\n",
    };

    @Test
    void whatListsNoHiddenToolPassesAsItIs() throws Exception {
        for (String event : UNCHANGED) {
            assertThat(pass(event)).isEqualTo(event);
        }
    }

    @Test
    void theSameInPiecesOfOneByteAndBehindAByteOrderMark() throws Exception {
        String all = "\ufeff" + String.join("", UNCHANGED) + "data: " + LIST + "\n\n";
        StringBuilder passed = new StringBuilder();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte next : all.getBytes(StandardCharsets.UTF_8)) {
            ByteBuffer piece = events.pass(ByteBuffer.wrap(new byte[] {next}));
            while (piece.hasRemaining()) {
                out.write(piece.get());
            }
        }
        passed.append(out.toString(StandardCharsets.UTF_8));
        assertThat(passed.toString()).isEqualTo(all.replace(LIST, LEFT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void onlyTheDataOfAListIsWrittenAnew(String end) throws Exception {
        String event = "id: 5" + end + "data:" + LIST + end + "event: message" + end + "retry: 3" + end + end;
        assertThat(pass(event)).isEqualTo(event.replace("data:" + LIST, "data: " + LEFT));
    }

    @Test
    void aListOfSeveralLinesHasSeveralAfterwards() throws Exception {
        String lines =
                "data: {\"id\":1,\ndata: \"result\":{\"tools\":[\ndata: {\"name\":\"h\"},\nid: 1\ndata:  {\"name\":\"v\"}]}}\n\n";
        assertThat(pass(lines))
                .isEqualTo("data: {\"id\":1,\ndata: \"result\":{\"tools\":[\ndata: {\"name\":\"v\"}]}}\nid: 1\n\n");
    }

    @Test
    void anEventIsHeldUntilItsEndAndCommentsAreNot() throws Exception {
        assertThat(pass(": a\n")).isEqualTo(": a\n");
        assertThat(pass("event: message\nda")).isEmpty();
        assertThat(pass("ta: {}\n")).isEmpty();
        assertThat(pass(": in between\n")).isEmpty();
        assertThat(pass("\n: b\ndata: [")).isEqualTo("event: message\ndata: {}\n: in between\n\n: b\n");
        assertThat(pass("]\r\n\r")).isEqualTo("data: []\r\n\r");
        assertThat(pass("\n")).isEqualTo("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"result\":{\"tools\":[{\"name\":\"h\"}\n\n",
                "event: message\ndata: no JSON\n\n",
                "event: other\nevent:\ndata: no JSON\n\n"
            })
    void aMessageThatCannotBeReadDoesNotPass(String event) {
        assertThatThrownBy(() -> pass(event)).isInstanceOf(IOException.class).hasMessageContaining("no JSON");
    }

    @Test
    void anEventHasABound() throws Exception {
        String half = "x".repeat(ListedEvents.LONGEST / 2);
        assertThat(pass("data: \"" + half + half.substring(20) + "\"\n\n"))
                .hasSizeGreaterThan(ListedEvents.LONGEST - 20);
        assertThat(pass("data: " + half)).isEmpty();
        assertThatThrownBy(() -> pass(half)).isInstanceOf(IOException.class).hasMessageContaining("longer");
    }
}
