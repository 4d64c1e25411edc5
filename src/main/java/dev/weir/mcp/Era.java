package dev.weir.mcp;

/** Which of the two families of MCP revisions one request belongs to; told by the request itself, never by its connection. */
public enum Era {
    /** Revisions up to 2025-11-25: a handshake by {@code initialize}, and sessions. */
    LEGACY,
    /** Revision 2026-07-28 and later: no sessions, the revision named in each request's {@code _meta}. */
    MODERN
}
