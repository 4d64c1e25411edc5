package dev.weir.proxy;

import dev.weir.mcp.ToolListing;
import dev.weir.upstream.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is particular to one request, and what its answer may become beside an answer that is passed on.
 *
 * @param legacy  looks after a stream of HTTP+SSE; null where the answer cannot be one
 * @param promise what the answer is put into if it takes long; null where the client could not make use of it
 * @param sessions how sessions are told of; null on a route of kind {@code http}
 * @param tools    cuts out of the answer what the client must not see; null where nothing is to be cut
 * @param plain   how an exchange goes that is no MCP server's; null for one that is
 */
record Expectation(
        @Nullable LegacyStream legacy,
        @Nullable PromisedStream promise,
        SessionIds.@Nullable Telling sessions,
        @Nullable ToolListing tools,
        @Nullable PassThrough plain) {

    /** On a route of kind {@code mcp}. */
    Expectation(
            @Nullable LegacyStream legacy,
            @Nullable PromisedStream promise,
            SessionIds.Telling sessions,
            @Nullable ToolListing tools) {
        this(legacy, promise, sessions, tools, null);
    }

    /** On a route of kind {@code http}. */
    static Expectation of(PassThrough plain) {
        return new Expectation(null, null, null, null, plain);
    }

    /** The head of an answer as it is shown. */
    AnswerHead head(int status, List<Header> headers) {
        if (plain != null) {
            return plain.head(status, headers);
        }
        return new AnswerHead(status, sessions == null ? headers : sessions.told(headers));
    }

    /**
     * Why an answer must not reach the client, or null if it may.
     *
     * @param answer  its head as it is shown
     * @param headers as the upstream wrote them
     */
    @Nullable
    String refusal(AnswerHead answer, List<Header> headers) {
        if (plain != null) {
            return plain.refusal(answer);
        }
        String refusal = legacy == null ? answer.refusal() : answer.refusalAsStream();
        return refusal == null ? SessionIds.Telling.refusal(headers) : refusal;
    }
}
