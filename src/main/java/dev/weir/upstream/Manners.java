package dev.weir.upstream;

/**
 * How requests and answers of one upstream are treated. Immutable.
 *
 * @param mcp           whether it is an MCP server; else any HTTP server, whose messages nobody reads
 * @param stripsPrefix  whether the public prefix is taken off the path
 * @param preservesHost whether it sees the Host that the client named
 * @param errors        what becomes of its error answers where it is no MCP server
 */
public record Manners(boolean mcp, boolean stripsPrefix, boolean preservesHost, Errors errors) {

    /** Those of an MCP server. */
    public static final Manners MCP = new Manners(true, true, false, Errors.UNIFIED);

    /** What becomes of an upstream's 4xx and 5xx. */
    public enum Errors {
        /** The status is kept; the body is replaced. */
        UNIFIED,
        /** The same for 5xx; 4xx pass. */
        MASK_5XX,
        /** All pass. */
        PASS
    }
}
