package dev.weir.proxy;

import dev.weir.upstream.Header;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ids under which clients know their sessions: the upstream's own id, a full stop, and a seal over the id, the route and the owner
 * of the session. So an id is good for nobody but whom it was told to, on whichever node and after whichever restart, and nothing
 * has to be remembered. Safe for use by many threads.
 *
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management">MCP 2025-11-25,
 *     Session Management: visible ASCII, and 404 for what is no session</a>
 */
final class SessionIds {

    /** The header that names a session, in both directions. */
    static final String HEADER = "Mcp-Session-Id";

    /** The longest id of an upstream, in characters. */
    static final int LONGEST = 1_024;

    private static final String PURPOSE = "session";
    private static final int TAIL = 1 + Seals.LENGTH;

    /**
     * What a request says of its session.
     *
     * @param known whether it may go on: it names none, or one of its own
     * @param id    the upstream's own id; null for none
     */
    record Asked(boolean known, @Nullable String id) {

        static final Asked NONE = new Asked(true, null);
        static final Asked UNKNOWN = new Asked(false, null);
    }

    private final Seals seals;

    SessionIds(Seals seals) {
        this.seals = seals;
    }

    /** The id that a client is told. */
    String tell(String owner, String route, String id) {
        return id + "." + seals.of(PURPOSE, owner, route, id);
    }

    /** What a request means by the ids that it names. */
    Asked asked(String owner, String route, List<String> named) {
        if (named.isEmpty()) {
            return Asked.NONE;
        }
        String told = named.get(0);
        int end = told.length() - TAIL;
        if (named.size() > 1 || end < 1 || end > LONGEST || told.charAt(end) != '.') {
            return Asked.UNKNOWN;
        }
        String id = told.substring(0, end);
        return seals.fits(told.substring(end + 1), PURPOSE, owner, route, id) ? new Asked(true, id) : Asked.UNKNOWN;
    }

    /** How sessions of one owner on one route are told of in answers. */
    Telling telling(String owner, String route) {
        return new Telling(this, owner, route);
    }

    /** How sessions of one owner on one route are told of in answers. */
    record Telling(SessionIds ids, String owner, String route) {

        /** The headers of an answer, with the ids that its client is told. */
        List<Header> told(List<Header> headers) {
            List<Header> told = new ArrayList<>(headers.size());
            for (Header header : headers) {
                boolean session = header.name().equalsIgnoreCase(HEADER);
                told.add(session ? new Header(header.name(), ids.tell(owner, route, header.value())) : header);
            }
            return told;
        }

        /** Why an answer cannot be passed on, or null if it can: its upstream names a session in a way that cannot be told. */
        static @Nullable String refusal(List<Header> headers) {
            List<String> named = headers.stream()
                    .filter(header -> header.name().equalsIgnoreCase(HEADER))
                    .map(Header::value)
                    .toList();
            if (named.size() > 1) {
                return "the upstream named " + named.size() + " sessions in one answer";
            }
            return named.isEmpty() || isPlain(named.get(0))
                    ? null
                    : "the upstream named a session that is not 1 to " + LONGEST + " visible characters of ASCII";
        }

        private static boolean isPlain(String id) {
            return !id.isEmpty() && id.length() <= LONGEST && id.chars().allMatch(c -> c > ' ' && c < 0x7f);
        }
    }
}
