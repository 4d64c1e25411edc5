package dev.weir.upstream;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Sends requests to upstreams and brings their answers, without holding a thread for either. It follows no redirect, keeps
 * no cookie, decodes nothing and never sends a request twice.
 */
public interface UpstreamClient {

    /**
     * Sends a request. The answer's methods may be called before this one returns.
     *
     * @param upstream whose bounds and trust hold for the call
     * @return the way to give the call up
     */
    Call send(Upstream upstream, UpstreamRequest request, Answer answer);

    /** What is told of one answer: one call at a time, and {@link #onComplete}, {@link #onFailure} or {@link #onNothingSent} once, as
     * the last. */
    interface Answer {

        void onHead(int status, List<Header> headers);

        /**
         * A piece of the body.
         *
         * @param content never empty; not to be changed, and not to be looked at once {@code more} has run
         * @param more    gives the piece back and asks for the next one, which is not read from the upstream before: this
         *                is the back-pressure. To be run exactly once for each piece, also after the call was aborted
         */
        void onContent(ByteBuffer content, Runnable more);

        /** The whole answer is here. */
        void onComplete();

        /**
         * There is no answer, or no more of it.
         *
         * @param cause a {@link java.util.concurrent.RejectedExecutionException} if nothing was sent because too many calls
         *              to this upstream wait already
         */
        void onFailure(Throwable cause);

        /** The same, where it is certain that the upstream has got nothing of the request. */
        default void onNothingSent(Throwable cause) {
            onFailure(cause);
        }
    }

    /** One call under way. */
    interface Call {

        /** Gives the call up and closes its connection; does nothing once the call has ended. Safe from any thread. */
        void abort(Throwable cause);
    }
}
