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
    private static final int CRLF_CRLF = 0x0D0A0D0A;

    /** The last four bytes that passed; at the start as if an event had just ended. */
    private int tail = LF_LF;

    void passed(byte[] bytes, int offset, int length) {
        for (int at = Math.max(offset, offset + length - 4); at < offset + length; at++) {
            tail = (tail << 8) | (bytes[at] & 0xFF);
        }
    }

    /** Whether an event has just ended, or none has begun. */
    boolean isHere() {
        int two = tail & 0xFFFF;
        return two == LF_LF || two == CR_CR || tail == CRLF_CRLF;
    }
}
