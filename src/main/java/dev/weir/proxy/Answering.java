package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.proxy.Exchange.State;
import dev.weir.upstream.CallReport;
import dev.weir.upstream.Header;
import dev.weir.upstream.StaleConnectionException;
import dev.weir.upstream.UpstreamClient;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The answer of one exchange as it comes from the upstream: held back until it is whole, streamed, or put into a stream that
 * was promised before.
 *
 * <p>What comes, comes one call at a time; the rest is safe for use by many threads.
 */
final class Answering implements UpstreamClient.Answer {

    /** Answers shorter than this are written whole, as far as the container's buffer takes them without waiting. */
    private static final int SHORT_ANSWER = 8 * 1024;

    /** A connection that was closed before the call is found closed so soon; one that lives longer died of the call. */
    private static final long FOUND_STALE_AFTER = TimeUnit.SECONDS.toNanos(1);

    private final Exchange exchange;
    private final Conclusion conclusion;
    private final HttpServletResponse response;
    private final JudgedRequest judged;
    private final Expectation expected;
    private final @Nullable LegacyStream legacy;
    private final @Nullable PromisedStream promise;
    private final @Nullable Upload upload;
    private final CallReport report;

    private volatile @Nullable Downstream downstream;
    private volatile @Nullable AnswerHead head;
    private volatile boolean comments;

    // Touched by the upstream's calls only, which come one at a time.
    private @Nullable HeldAnswer held;
    private long received;

    Answering(Exchange exchange, Conclusion conclusion, JudgedRequest judged, Expectation expected, CallReport report) {
        this.exchange = exchange;
        this.conclusion = conclusion;
        this.response = conclusion.response();
        this.judged = judged;
        this.expected = expected;
        this.legacy = expected.legacy();
        this.promise = expected.promise();
        this.upload = expected.plain() == null ? null : expected.plain().upload();
        this.report = report;
    }

    @Override
    public void onHead(int status, List<Header> headers) {
        AnswerHead answer = expected.head(status, headers);
        String refusal = expected.refusal(answer, headers);
        report.answering(status);
        if (refusal != null) {
            if (status >= 300) {
                // Not what an MCP server says, but an answer all the same; whose fault it is follows from the status.
                report.answered();
            }
            exchange.refuse(ProxyError.UNAVAILABLE, refusal);
            return;
        }
        head = answer;
        exchange.moved();
        if (!exchange.move(State.WAITING, State.HOLDING)) {
            takeLate(answer);
            return;
        }
        long length = answer.contentLength();
        if (expected.plain() != null) {
            held = expected.plain().held(answer);
        }
        if (held == null && answer.isEventStream()) {
            stream(answer);
        } else if (held == null && length >= 0 && length < Math.min(SHORT_ANSWER, response.getBufferSize())) {
            held = new ShortAnswer(answer, (int) length);
        }
    }

    private void takeLate(AnswerHead answer) {
        PromisedStream late = promised();
        if (late != null && late.take(answer)) {
            report.streaming();
        } else if (late != null) {
            exchange.refuse(
                    ProxyError.UNAVAILABLE, "the upstream answered late, and neither with plain events nor with JSON");
        }
    }

    @Override
    public void onContent(ByteBuffer content, Runnable more) {
        exchange.moved();
        received += content.remaining();
        AnswerHead answer = head;
        if (answer != null && received == answer.contentLength()) {
            judged.served();
        }
        PromisedStream late = promised();
        HeldAnswer hold = held;
        if (late != null) {
            late.pass(content, more);
        } else if (exchange.isIn(State.ENDED)) {
            more.run();
        } else if (hold != null) {
            if (!hold.add(content)) {
                report.answered();
                give(hold);
                exchange.abort(new IOException("the beginning of the answer was enough"));
            }
            more.run();
        } else {
            pass(content, more);
        }
    }

    private void pass(ByteBuffer content, Runnable more) {
        AnswerHead answer = head;
        if (downstream == null && answer != null) {
            stream(answer);
        }
        Downstream streaming = downstream;
        if (streaming == null) {
            more.run();
        } else if (legacy == null || answer == null || !answer.isEventStream()) {
            streaming.offer(content, more);
        } else {
            offerEvents(legacy, content, more, streaming);
        }
    }

    private void offerEvents(LegacyStream events, ByteBuffer content, Runnable more, Downstream streaming) {
        try {
            ByteBuffer passed = events.pass(content, streaming::insert);
            if (passed.hasRemaining()) {
                streaming.offer(passed, more);
            } else {
                more.run();
            }
        } catch (IOException e) {
            more.run();
            exchange.fail(ProxyError.UNAVAILABLE, e);
        }
    }

    @Override
    public void onComplete() {
        judged.served();
        PromisedStream late = promised();
        Downstream streaming = downstream;
        AnswerHead answer = head;
        if (answer != null) {
            report.answered();
        }
        if (late != null) {
            if (!late.complete()) {
                exchange.refuse(ProxyError.UNAVAILABLE, "the upstream ended without an answer");
            }
        } else if (streaming != null) {
            streaming.complete();
        } else if (answer == null) {
            exchange.refuse(ProxyError.UNAVAILABLE, "the upstream ended without an answer");
        } else {
            give(held == null ? new ShortAnswer(answer, 0) : held);
        }
    }

    private void give(HeldAnswer answer) {
        if (exchange.end(State.HOLDING)) {
            if (upload != null) {
                leaveIfUnwanted();
            }
            answer.give(conclusion);
        }
    }

    /** Gives the call up, unless its upstream has said yes and waits for the rest of the request. */
    boolean leaveIfUnwanted() {
        AnswerHead answer = head;
        boolean wanted = upload != null && !upload.isOver() && answer != null && answer.status() < 400;
        if (!wanted) {
            exchange.abort(new IOException("the answer was enough"));
        }
        return wanted;
    }

    @Override
    public void onFailure(Throwable cause) {
        PromisedStream late = promised();
        if (late != null && late.isRefused()) {
            // The call was given up here, and its client has been told.
            return;
        }
        if (cause instanceof StaleConnectionException && exchange.age() < FOUND_STALE_AFTER) {
            report.left();
        }
        boolean rejected = cause instanceof RejectedExecutionException;
        Downstream streaming = out();
        if (!exchange.refuse(rejected ? ProxyError.BUSY : ProxyError.UNAVAILABLE, Exchange.text(cause))
                && streaming != null) {
            report.failed(Exchange.text(cause));
            streaming.breakOff(cause);
        }
    }

    /** Promises a stream, unless the answer has just come or all is over. */
    private void begin(PromisedStream stream) {
        stream.prepare(new Downstream(response, true, exchange));
        if (!exchange.move(State.WAITING, State.PROMISED)) {
            return;
        }
        try {
            comments = true;
            stream.open(response);
        } catch (IOException | RuntimeException e) {
            exchange.onClientGone(e);
        }
    }

    /** The stream that was promised, if one was and all is not over. */
    @Nullable
    PromisedStream promised() {
        return exchange.isIn(State.PROMISED) ? promise : null;
    }

    /** Where the answer is written to, if it has been begun. */
    @Nullable
    Downstream out() {
        PromisedStream late = promised();
        return late == null ? downstream : late.out();
    }

    private void stream(AnswerHead answer) {
        try {
            Downstream streaming = new Downstream(response, answer.isEventStream(), exchange);
            downstream = streaming;
            if (!exchange.move(State.HOLDING, State.STREAMING)) {
                downstream = null;
                return;
            }
            report.streaming();
            answer.applyTo(response);
            if (answer.isEventStream()) {
                answer.keepFlowing(response);
            }
            // A stream in which an address may be changed has no length that is known.
            if (answer.contentLength() >= 0 && !(legacy != null && answer.isEventStream())) {
                response.setContentLengthLong(answer.contentLength());
            }
            comments = answer.isEventStream() && answer.isPlainText() && answer.contentLength() < 0;
            streaming.open();
        } catch (IOException | RuntimeException e) {
            exchange.onClientGone(e);
        }
    }

    /** Whether the head has not come yet. */
    boolean isAwaited() {
        PromisedStream late = promised();
        return late == null ? exchange.isIn(State.WAITING) : late.isAwaited();
    }

    /** Whether the upstream answers with a stream of events. */
    boolean isEventStream() {
        AnswerHead answer = head;
        return answer != null && answer.isEventStream();
    }

    /** Whether something could be written in a silence, or promised. */
    boolean takesComment() {
        return out() == null ? isAwaited() && promise != null : comments;
    }

    /** Writes a comment where a stream is open, or opens the one that can be promised. */
    void comment() {
        Downstream streaming = out();
        if (streaming != null) {
            streaming.comment();
        } else if (promise != null) {
            begin(promise);
        }
    }

    /** Ends a stream of events once it stands between two of them. */
    void finish() {
        Downstream streaming = out();
        if (comments && streaming != null) {
            streaming.finish();
        }
    }
}
