package dev.weir.proxy;

import dev.weir.mcp.ToolListing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events, out of whose messages tools are cut that its reader must not see. Each event is held back until it is whole, and
 * then sent at once; only one that has changed is written anew. For one thread at a time.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream">HTML, 9.2.5: lines,
 *     fields and events; one that the stream breaks off in is none</a>
 */
final class ListedEvents {

    /** The longest event, in bytes. */
    static final int LONGEST = ListedTools.LONGEST;

    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);
    private static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

    /**
     * One line of an event.
     *
     * @param name  the field's name; empty for a comment
     * @param from  where its value begins
     * @param to    where its value ends, and the line's end begins
     * @param start where the line begins
     * @param next  where the next one does
     */
    private record Line(String name, int from, int to, int start, int next) {}

    private final ToolListing tools;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private final ByteArrayOutputStream passed = new ByteArrayOutputStream();

    private int marked;
    private boolean atStart = true;
    private boolean afterCr;
    private boolean lineIsEmpty = true;
    private boolean lineIsComment;
    private boolean hasFields;

    ListedEvents(ToolListing tools) {
        this.tools = tools;
    }

    /**
     * Takes the next piece of the stream.
     *
     * @return what is to be sent now, perhaps nothing; bytes of its own
     * @throws IOException if the stream must not go on: an event is too long, or is a message that cannot be read
     */
    ByteBuffer pass(ByteBuffer content) throws IOException {
        passed.reset();
        ByteBuffer in = content.duplicate();
        while (in.hasRemaining()) {
            take(in.get());
        }
        return ByteBuffer.wrap(passed.toByteArray());
    }

    private void take(byte next) throws IOException {
        if (atStart && (next & 0xFF) == BYTE_ORDER_MARK[marked]) {
            passed.write(next);
            marked++;
            atStart = marked < BYTE_ORDER_MARK.length;
            return;
        }
        atStart = false;
        boolean secondOfTwo = afterCr && next == '\n';
        afterCr = next == '\r';
        if (secondOfTwo) {
            // The second half of a line's end, of which the first may have ended an event.
            (held.size() == 0 ? passed : held).write(next);
            return;
        }
        if (held.size() == LONGEST) {
            throw new IOException("an event of the upstream is longer than " + LONGEST + " bytes");
        }
        held.write(next);
        if (next == '\r' || next == '\n') {
            endLine();
        } else {
            lineIsComment |= lineIsEmpty && next == ':';
            lineIsEmpty = false;
        }
    }

    private void endLine() throws IOException {
        if (lineIsEmpty) {
            endEvent();
        } else {
            hasFields |= !lineIsComment;
            if (!hasFields) {
                release(held.toByteArray());
            }
        }
        lineIsEmpty = true;
        lineIsComment = false;
    }

    private void endEvent() throws IOException {
        byte[] event = held.toByteArray();
        release(hasFields ? shown(event) : event);
        hasFields = false;
    }

    private void release(byte[] bytes) {
        passed.writeBytes(bytes);
        held.reset();
    }

    private byte[] shown(byte[] event) throws IOException {
        List<Line> lines = lines(event);
        String name = "";
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (Line line : lines) {
            if (line.name().equals("event")) {
                name = new String(event, line.from(), line.to() - line.from(), StandardCharsets.UTF_8);
            } else if (line.name().equals("data")) {
                if (data.size() > 0) {
                    data.write('\n');
                }
                data.write(event, line.from(), line.to() - line.from());
            }
        }
        if (data.size() == 0) {
            return event;
        }
        byte[] message = data.toByteArray();
        byte[] shown = shown(name, message);
        return shown == message ? event : rewritten(event, lines, shown);
    }

    private byte[] shown(String name, byte[] message) throws IOException {
        byte @Nullable [] shown = tools.shown(message);
        if (shown != null) {
            return shown;
        }
        if (name.isEmpty() || name.equals("message")) {
            throw new IOException("an event of the upstream is no JSON, so it cannot be seen whether it lists tools");
        }
        return message;
    }

    /** The same event with other data, in as many lines as that has. */
    private static byte[] rewritten(byte[] event, List<Line> lines, byte[] data) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(event.length);
        boolean written = false;
        for (Line line : lines) {
            if (!line.name().equals("data")) {
                all.write(event, line.start(), line.next() - line.start());
            } else if (!written) {
                written = true;
                all.writeBytes(DATA);
                for (byte next : data) {
                    if (next == '\n') {
                        all.write(event, line.to(), line.next() - line.to());
                        all.writeBytes(DATA);
                    } else {
                        all.write(next);
                    }
                }
                all.write(event, line.to(), line.next() - line.to());
            }
        }
        return all.toByteArray();
    }

    /** All lines of an event, with the empty one at its end. */
    private static List<Line> lines(byte[] event) {
        List<Line> lines = new ArrayList<>();
        int start = 0;
        int colon = -1;
        for (int at = 0; at < event.length; at++) {
            if (event[at] == ':' && colon < 0) {
                colon = at;
            } else if (event[at] == '\r' || event[at] == '\n') {
                boolean pair = event[at] == '\r' && at + 1 < event.length && event[at + 1] == '\n';
                int next = at + (pair ? 2 : 1);
                lines.add(line(event, start, colon < 0 ? at : colon, at, next));
                start = next;
                at = next - 1;
                colon = -1;
            }
        }
        return lines;
    }

    private static Line line(byte[] event, int start, int colon, int end, int next) {
        int from = Math.min(end, colon + 1);
        if (from < end && event[from] == ' ') {
            from++;
        }
        return new Line(new String(event, start, colon - start, StandardCharsets.UTF_8), from, end, start, next);
    }
}
