package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way up and its answer on the way down.
 *
 * <p>It waits for the head of the answer; then it either holds a short answer back until it is whole and writes it at once,
 * or streams it. Where that takes long and the client may have gone, it promises a stream, into which the answer goes. It ends once: delivered, answered with an error of the proxy, broken off, or left by the client. Whoever
 * moves the state to its end does the ending.
 */
final class Exchange implements UpstreamClient.Answer, Downstream.Owner {

    /** Answers shorter than this are written whole, as far as the container's buffer takes them without waiting. */
    private static final int SHORT_ANSWER = 8 * 1024;

    /** A connection that was closed before the call is found closed so soon; one that lives longer died of the call. */
    private static final long FOUND_STALE_AFTER = TimeUnit.SECONDS.toNanos(1);

    private static final int LONGEST_REASON = 200;

    private static final byte[] NOTHING = {};

    private enum State {
        WAITING,
        PROMISED,
        HOLDING,
        STREAMING,
        ENDED
    }

    private final Upstream upstream;
    private final JudgedRequest judged;
    private final Conclusion conclusion;
    private final HttpServletResponse response;
    private final Exchanges exchanges;
    private final @Nullable LegacyStream legacy;
    private final @Nullable PromisedStream promise;
    private final CallReport report;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile long movedAt;
    private volatile UpstreamClient.@Nullable Call call;
    private volatile @Nullable Downstream downstream;
    private volatile boolean comments;
    private volatile boolean longLived;

    // Touched by the upstream's calls only, which come one at a time.
    private @Nullable AnswerHead head;
    private @Nullable ShortAnswer held;
    private long received;

    // Touched by the timer only.
    private long commentedAt;

    /**
     * @param async  started, with the servlet's own request and response
     * @param expected what looks after the answer if it is a stream
     * @param report   is told what the exchange says of its upstream
     */
    Exchange(
            Upstream upstream,
            JudgedRequest judged,
            AsyncContext async,
            Exchanges exchanges,
            Expectation expected,
            CallReport report) {
        this.upstream = upstream;
        this.judged = judged;
        this.conclusion = new Conclusion(async, judged, this::onClientGone);
        this.response = conclusion.response();
        this.exchanges = exchanges;
        this.legacy = expected.legacy();
        this.promise = expected.promise();
        this.report = report;
        this.movedAt = exchanges.nanos();
        this.commentedAt = movedAt;
    }

    void start(UpstreamClient client, UpstreamRequest request) {
        conclusion.begin();
        if (!exchanges.add(this)) {
            refuse(ProxyError.BUSY, "stopping");
            return;
        }
        longLived = request.longLived();
        UpstreamClient.Call sent = client.send(upstream, request, this);
        call = sent;
        if (state.get() == State.ENDED) {
            // It ended before there was anything to abort.
            sent.abort(new IOException("ended before it began"));
        }
    }

    @Override
    public void onHead(int status, List<Header> headers) {
        AnswerHead answer = new AnswerHead(status, headers);
        String refusal = legacy == null ? answer.refusal() : answer.refusalAsStream();
        report.answering(status);
        if (refusal != null) {
            if (status >= 300) {
                // Not what an MCP server says, but an answer all the same; whose fault it is follows from the status.
                report.answered();
            }
            refuse(ProxyError.UNAVAILABLE, refusal);
            return;
        }
        head = answer;
        movedAt = exchanges.nanos();
        if (!state.compareAndSet(State.WAITING, State.HOLDING)) {
            takeLate(answer);
            return;
        }
        if (answer.isEventStream()) {
            stream(answer);
            return;
        }
        long length = answer.contentLength();
        if (length >= 0 && length < Math.min(SHORT_ANSWER, response.getBufferSize())) {
            held = new ShortAnswer((int) length);
        }
    }

    private void takeLate(AnswerHead answer) {
        PromisedStream late = promised();
        if (late != null && late.take(answer)) {
            report.streaming();
        } else if (late != null) {
            refuse(ProxyError.UNAVAILABLE, "the upstream answered late, and neither with plain events nor with JSON");
        }
    }

    @Override
    public void onContent(ByteBuffer content, Runnable more) {
        movedAt = exchanges.nanos();
        received += content.remaining();
        if (head != null && received == head.contentLength()) {
            judged.served();
        }
        PromisedStream late = promised();
        ShortAnswer hold = held;
        if (late != null) {
            late.pass(content, more);
        } else if (state.get() == State.ENDED) {
            more.run();
        } else if (hold != null) {
            hold.add(content);
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
            fail(ProxyError.UNAVAILABLE, e);
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
                refuse(ProxyError.UNAVAILABLE, "the upstream ended without an answer");
            }
        } else if (streaming != null) {
            streaming.complete();
        } else if (answer == null) {
            refuse(ProxyError.UNAVAILABLE, "the upstream ended without an answer");
        } else if (end(State.HOLDING)) {
            conclusion.deliver(answer, held == null ? NOTHING : held.bytes());
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        PromisedStream late = promised();
        if (late != null && late.isRefused()) {
            // The call was given up here, and its client has been told.
            return;
        }
        if (cause instanceof StaleConnectionException && exchanges.nanos() - movedAt < FOUND_STALE_AFTER) {
            report.left();
        }
        boolean rejected = cause instanceof RejectedExecutionException;
        Downstream streaming = streaming();
        if (!refuse(rejected ? ProxyError.BUSY : ProxyError.UNAVAILABLE, text(cause)) && streaming != null) {
            report.failed(text(cause));
            streaming.breakOff(cause);
        }
    }

    /** Ends this exchange at once: by an error of the proxy if the client has seen nothing yet, else by breaking off. */
    void fail(ProxyError error, Throwable cause) {
        if (!refuse(error, text(cause))) {
            Downstream streaming = streaming();
            if (streaming != null) {
                blame(error, text(cause));
                streaming.breakOffAtOnce(cause);
            }
        }
    }

    /** Whether the answer stays open until one of the sides ends it. */
    boolean isLongLived() {
        return longLived;
    }

    /** Ends a stream of events once it stands between two of them; anything else ends by itself. */
    void finish() {
        Downstream streaming = streaming();
        if (comments && streaming != null) {
            streaming.finish();
        }
    }

    /** Looks whether a limit of time is over. Called by one thread at a time. */
    void check(long now) {
        PromisedStream late = promised();
        boolean waiting = late == null ? state.get() == State.WAITING : late.isAwaited();
        long limit =
                (waiting ? upstream.limits().firstByte() : upstream.limits().idle()).toNanos();
        long still = now - movedAt;
        Downstream streaming = streaming();
        if (still > limit) {
            boolean client = streaming != null && streaming.waitsForClient();
            String who = client ? "the client read nothing for " : "the upstream sent nothing for ";
            if (client) {
                report.left();
            }
            fail(ProxyError.TIMEOUT, new TimeoutException(who + limit / 1_000_000 + " ms"));
        } else if (comments && streaming != null && Math.min(still, now - commentedAt) > exchanges.commentNanos()) {
            commentedAt = now;
            streaming.comment();
        } else if (streaming == null && waiting && promise != null && still > exchanges.commentNanos()) {
            commentedAt = now;
            begin(promise);
        }
    }

    /** Promises a stream, unless the answer has just come or all is over. */
    private void begin(PromisedStream stream) {
        stream.prepare(new Downstream(response, true, this));
        if (!state.compareAndSet(State.WAITING, State.PROMISED)) {
            return;
        }
        try {
            comments = true;
            stream.open(response);
        } catch (IOException | RuntimeException e) {
            onClientGone(e);
        }
    }

    private @Nullable PromisedStream promised() {
        return state.get() == State.PROMISED ? promise : null;
    }

    /** Where the answer is written to, if it has been begun. */
    private @Nullable Downstream streaming() {
        PromisedStream late = promised();
        return late == null ? downstream : late.out();
    }

    private void stream(AnswerHead answer) {
        try {
            Downstream streaming = new Downstream(response, answer.isEventStream(), this);
            downstream = streaming;
            if (!state.compareAndSet(State.HOLDING, State.STREAMING)) {
                downstream = null;
                return;
            }
            report.streaming();
            answer.applyTo(response);
            // A stream in which an address may be changed has no length that is known.
            if (answer.contentLength() >= 0 && !(legacy != null && answer.isEventStream())) {
                response.setContentLengthLong(answer.contentLength());
            }
            comments = answer.isEventStream() && answer.isPlainText() && answer.contentLength() < 0;
            streaming.open();
        } catch (IOException | RuntimeException e) {
            onClientGone(e);
        }
    }

    @Override
    public void onWritten() {
        movedAt = exchanges.nanos();
    }

    @Override
    public void onDelivered() {
        if (end(State.STREAMING) || end(State.PROMISED)) {
            // Its upstream has more to say if the stream was finished here.
            report.left();
            abort(new IOException("the answer was ended"));
            conclusion.complete();
        }
    }

    @Override
    public void onBroken(Throwable cause) {
        if (end(State.STREAMING) || end(State.PROMISED)) {
            abort(cause);
            conclusion.breakOff(text(cause));
        }
    }

    @Override
    public void onClientGone(Throwable cause) {
        if (end(State.STREAMING) || end(State.HOLDING) || end(State.WAITING) || end(State.PROMISED)) {
            // Before the abort, after which the upstream's client tells of a failure.
            report.left();
            abort(cause);
            conclusion.complete();
        }
    }

    /** Answers in the upstream's place, unless the client has seen something already or all is over. */
    private boolean refuse(ProxyError error, String reason) {
        if (!end(State.WAITING) && !end(State.HOLDING)) {
            return refuseLate(error, reason);
        }
        blame(error, reason);
        abort(new IOException(reason));
        judged.served();
        conclusion.refuse(error, reason);
        return true;
    }

    /** The same on a stream that was promised, where the status has been said already. */
    private boolean refuseLate(ProxyError error, String reason) {
        PromisedStream late = promised();
        if (late == null || !late.refuse()) {
            return false;
        }
        movedAt = exchanges.nanos();
        blame(error, reason);
        abort(new IOException(reason));
        judged.served();
        conclusion.note(reason);
        late.say(error.body(judged));
        return true;
    }

    private void blame(ProxyError error, String reason) {
        if (error == ProxyError.BUSY) {
            report.left();
        } else {
            report.failed(reason);
        }
    }

    /** The cause as one short text for the log; some messages of Jetty describe a whole connection. */
    private static String text(Throwable cause) {
        String text = cause.toString();
        return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
    }

    private boolean end(State from) {
        if (!state.compareAndSet(from, State.ENDED)) {
            return false;
        }
        exchanges.remove(this);
        if (legacy != null) {
            legacy.close();
        }
        return true;
    }

    private void abort(Throwable cause) {
        UpstreamClient.Call sent = call;
        if (sent != null) {
            sent.abort(cause);
        }
    }
}
