package dev.weir.proxy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is particular to one exchange beside what all have.
 *
 * @param legacy  looks after a stream of HTTP+SSE; null where the answer cannot be one
 * @param promise what the answer is put into if it takes long; null where the client could not make use of it
 * @param plain   what a route of kind {@code http} needs; null on one to an MCP server
 */
record Expectation(
        @Nullable LegacyStream legacy,
        @Nullable PromisedStream promise,
        @Nullable PassThrough plain) {

    /** The request's body, where it is not here yet. */
    @Nullable
    Upload upload() {
        return plain == null ? null : plain.upload();
    }

    /** Why an answer must not reach the client, or null if it may. */
    @Nullable
    String refusal(AnswerHead answer, List<Header> headers) {
        if (plain != null) {
            return plain.refusal(answer, headers);
        }
        return legacy == null ? answer.refusal() : answer.refusalAsStream();
    }
}
