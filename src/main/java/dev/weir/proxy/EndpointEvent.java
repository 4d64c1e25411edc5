package dev.weir.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds the event {@code endpoint} at the beginning of a stream and puts another address into it. Nothing but the address is
 * changed, and nothing is held back but a line that may turn out to name that event, and the event itself. Once a message has
 * come there is no such event to come any more, and nothing is looked at.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream">HTML, 9.2.5: lines,
 *     fields and events</a>
 */
final class EndpointEvent {

    /** What gives the address that clients are told, or refuses the upstream's. */
    interface Address {

        /**
         * The address that clients are told.
         *
         * @throws IOException if clients cannot be told of such an address; the message says why, for the log
         */
        String of(String endpoint) throws IOException;
    }

    /** The longest event of this kind, in bytes. */
    static final int LONGEST = 8 * 1024;

    private static final byte[] EVENT = {'e', 'v', 'e', 'n', 't', ':'};
    private static final byte[] DATA = {'d', 'a', 't', 'a', ':'};
    private static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

    private final Address address;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private final ByteArrayOutputStream passed = new ByteArrayOutputStream();

    private int marked;
    private boolean atStart = true;
    private boolean afterCr;
    private boolean done;
    private boolean failed;

    // The line that is being read.
    private int lineLength;
    private int lineStart;
    private boolean maybeEvent = true;
    private boolean maybeData = true;

    // The event that is being read.
    private boolean isEndpoint;
    private boolean hasData;
    private boolean otherName;
    private int valueStart;
    private int valueEnd;

    EndpointEvent(Address address) {
        this.address = address;
    }

    /** Whether all that comes from now on passes as it is, and does not have to be shown to this object. */
    boolean isDone() {
        return done;
    }

    /**
     * Takes the next piece of the stream.
     *
     * @return what is to be sent now, perhaps nothing; bytes of its own
     * @throws IOException if the stream must not go on; whatever comes after that is swallowed
     */
    ByteBuffer pass(ByteBuffer content) throws IOException {
        ByteBuffer in = content.duplicate();
        passed.reset();
        try {
            while (in.hasRemaining() && !done && !failed) {
                take(in.get());
            }
        } catch (IOException e) {
            failed = true;
            throw e;
        }
        while (in.hasRemaining() && !failed) {
            passed.write(in.get());
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
            write(next);
            lineStart = held.size();
        } else if (next == '\r' || next == '\n') {
            endLine(next);
        } else {
            maybeEvent &= lineLength >= EVENT.length || next == EVENT[lineLength];
            maybeData &= lineLength >= DATA.length || next == DATA[lineLength];
            lineLength++;
            write(next);
        }
    }

    /** Holds a byte back, or sends it together with what was held back in vain. */
    private void write(byte next) throws IOException {
        if (isEndpoint || (maybeEvent && lineLength > 0)) {
            if (held.size() == LONGEST) {
                throw new IOException("an endpoint event of the upstream is longer than " + LONGEST + " bytes");
            }
            held.write(next);
        } else {
            release();
            passed.write(next);
        }
    }

    private void release() {
        passed.writeBytes(held.toByteArray());
        held.reset();
        lineStart = 0;
    }

    private void endLine(byte end) throws IOException {
        if (lineLength == 0) {
            endEvent(end);
        } else {
            if (maybeEvent && lineLength >= EVENT.length) {
                named(value(EVENT.length));
            } else if (maybeData && lineLength >= DATA.length) {
                data();
            }
            if (!isEndpoint) {
                release();
            }
            maybeEvent = false;
            write(end);
        }
        lineStart = held.size();
        lineLength = 0;
        maybeEvent = true;
        maybeData = true;
    }

    private void named(String name) throws IOException {
        boolean endpoint = name.equals("endpoint");
        if ((isEndpoint && !endpoint) || (endpoint && hasData)) {
            throw new IOException("the upstream sent an endpoint event in an order that clients read differently");
        }
        isEndpoint = endpoint;
        otherName = !name.isEmpty() && !name.equals("message");
    }

    private void data() throws IOException {
        if (isEndpoint && hasData) {
            throw new IOException("the upstream sent an endpoint of more than one line");
        }
        hasData = true;
        if (isEndpoint) {
            byte[] bytes = held.toByteArray();
            valueStart = lineStart + DATA.length;
            valueEnd = bytes.length;
            while (valueStart < valueEnd && bytes[valueStart] == ' ') {
                valueStart++;
            }
            while (valueStart < valueEnd && bytes[valueEnd - 1] == ' ') {
                valueEnd--;
            }
        }
    }

    private void endEvent(byte end) throws IOException {
        if (isEndpoint && hasData) {
            byte[] bytes = held.toByteArray();
            String endpoint = new String(bytes, valueStart, valueEnd - valueStart, StandardCharsets.UTF_8);
            passed.write(bytes, 0, valueStart);
            passed.writeBytes(address.of(endpoint).getBytes(StandardCharsets.US_ASCII));
            passed.write(bytes, valueEnd, bytes.length - valueEnd);
            held.reset();
        }
        release();
        passed.write(end);
        done = hasData && !isEndpoint && !otherName;
        isEndpoint = false;
        hasData = false;
        otherName = false;
    }

    /** The value of a field in the line that is held. */
    private String value(int from) {
        byte[] bytes = held.toByteArray();
        return new String(bytes, lineStart + from, bytes.length - lineStart - from, StandardCharsets.UTF_8).strip();
    }
}
