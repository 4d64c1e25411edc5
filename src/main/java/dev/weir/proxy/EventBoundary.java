package dev.weir.proxy;

/**
 * Finds out whether a stream of events stands between two events, which is where something else may be put in. It looks at
 * no more than the last bytes that passed.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream">HTML, 9.2.5: an
 *     empty line ends an event, and a line ends with CR, LF or both</a>
 */
final class EventBoundary {

    private static final int LF_LF = 0x0A0A;
    private static final int CR_CR = 0x0D0D;
    private static final int LF_CRLF = 0x0A0D0A;
    private static final int CR_CRLF = 0x0D0D0A;

    /** The last four bytes that passed; at the start as if an event had just ended. */
    private int tail = LF_LF;

    void passed(byte[] bytes, int offset, int length) {
        for (int at = Math.max(offset, offset + length - 4); at < offset + length; at++) {
            tail = (tail << 8) | (bytes[at] & 0xFF);
        }
    }

    /**
     * Lets bytes pass up to the end of the event that they are in.
     *
     * @return how many those are: all of them, if the event does not end in them
     */
    int passedUpToBoundary(byte[] bytes, int offset, int length) {
        for (int at = offset; at < offset + length; at++) {
            tail = (tail << 8) | (bytes[at] & 0xFF);
            if (isHere()) {
                return at + 1 - offset;
            }
        }
        return length;
    }

    /** Whether an event has just ended, or none has begun. */
    boolean isHere() {
        int two = tail & 0xFFFF;
        int three = tail & 0xFFFFFF;
        return two == LF_LF || two == CR_CR || three == LF_CRLF || three == CR_CRLF;
    }
}
