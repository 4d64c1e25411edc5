package dev.weir.mcp;

import org.jspecify.annotations.Nullable;

/** Which of the two families of MCP revisions one request belongs to; told by the request itself, never by its connection. */
public enum Era {
    /** Revisions up to 2025-11-25: a handshake by {@code initialize}, and sessions. */
    LEGACY,
    /** Revision 2026-07-28 and later: no sessions, the revision named in each request's {@code _meta}. */
    MODERN;

    private static final String FIRST_MODERN = "2026-07-28";

    /** The era of a revision. Revisions are dates and compare as text; whatever comes later than all that are known is modern. */
    static Era of(@Nullable String revision) {
        return revision != null && revision.compareTo(FIRST_MODERN) >= 0 ? MODERN : LEGACY;
    }
}
