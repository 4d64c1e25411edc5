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
 * or streams it. Where that takes long and the client may have gone, it promises a stream, into which the answer goes. It ends
 * once: delivered, answered with an error of the proxy, broken off, or left by the client. Whoever moves the state to its end
 * does the ending. What the client still sends then may go on for a while.
 */
final class Exchange implements UpstreamClient.Answer, Downstream.Owner, Upload.Owner {

    /** Answers shorter than this are written whole, as far as the container's buffer takes them without waiting. */
    private static final int SHORT_ANSWER = 8 * 1024;

    /** A connection that was closed before the call is found closed so soon; one that lives longer died of the call. */
    private static final long FOUND_STALE_AFTER = TimeUnit.SECONDS.toNanos(1);

    private static final int LONGEST_REASON = 200;

    /** How long a client may go on sending what nobody wants, once it has its answer. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(10);

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
    private final Expectation expected;
    private final @Nullable LegacyStream legacy;
    private final @Nullable PromisedStream promise;
    private final @Nullable Upload upload;
    private final Pace pace;
    private final CallReport report;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile UpstreamClient.@Nullable Call call;
    private volatile @Nullable Downstream downstream;
    private volatile boolean comments;
    private volatile boolean longLived;

    // Touched by the upstream's calls only, which come one at a time.
    private volatile @Nullable AnswerHead head;
    private @Nullable HeldAnswer held;
    private long received;

    /**
     * @param async    started, with the servlet's own request and response
     * @param expected what is particular to this request and its answer
     * @param report   is told what the exchange says of its upstream
     */
    Exchange(
            Upstream upstream,
            JudgedRequest judged,
            AsyncContext async,
            Exchanges exchanges,
            Expectation expected,
            CallReport report) {
        this.judged = judged;
        this.upload = expected.plain() == null ? null : expected.plain().upload();
        this.conclusion = new Conclusion(async, judged, upload, this::onClientGone, () -> exchanges.remove(this));
        this.response = conclusion.response();
        this.exchanges = exchanges;
        this.expected = expected;
        this.legacy = expected.legacy();
        this.promise = expected.promise();
        this.report = report;
        this.pace = new Pace(upstream.limits(), exchanges.nanos());
        this.upstream = upstream;
    }

    void start(UpstreamClient client, UpstreamRequest request) {
        conclusion.begin();
        // An invitation, where the client waits for one, unless it is certain that the body is not wanted.
        if (upload != null && !(upload.isTooLarge() && upload.isAwaitingInvitation())) {
            upload.begin(this);
        }
        if (!exchanges.add(this)) {
            refuse(ProxyError.BUSY, "stopping");
            return;
        }
        if (upload != null && upload.isTooLarge()) {
            refuse(ProxyError.BODY_TOO_LARGE, "a body of " + upload.length() + " bytes");
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
        AnswerHead answer = expected.head(status, headers);
        String refusal = expected.refusal(answer);
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
        pace.moved(exchanges.nanos());
        if (!state.compareAndSet(State.WAITING, State.HOLDING)) {
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
            refuse(ProxyError.UNAVAILABLE, "the upstream answered late, and neither with plain events nor with JSON");
        }
    }

    @Override
    public void onContent(ByteBuffer content, Runnable more) {
        pace.moved(exchanges.nanos());
        received += content.remaining();
        AnswerHead answer = head;
        if (answer != null && received == answer.contentLength()) {
            judged.served();
        }
        PromisedStream late = promised();
        HeldAnswer hold = held;
        if (late != null) {
            late.pass(content, more);
        } else if (state.get() == State.ENDED) {
            more.run();
        } else if (hold != null) {
            if (!hold.add(content)) {
                report.answered();
                give(hold);
                abort(new IOException("the beginning of the answer was enough"));
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
        } else {
            give(held == null ? new ShortAnswer(answer, 0) : held);
        }
    }

    private void give(HeldAnswer answer) {
        if (end(State.HOLDING)) {
            if (upload != null) {
                leaveIfUnwanted();
            }
            answer.give(conclusion);
        }
    }

    /** Gives the call up, unless its upstream has said yes and waits for the rest of the request. */
    private boolean leaveIfUnwanted() {
        AnswerHead answer = head;
        boolean wanted = upload != null && !upload.isOver() && answer != null && answer.status() < 400;
        if (!wanted) {
            abort(new IOException("the answer was enough"));
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
        if (cause instanceof StaleConnectionException && pace.age(exchanges.nanos()) < FOUND_STALE_AFTER) {
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
            } else if (upload != null) {
                upload.quit();
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
        if (state.get() == State.ENDED) {
            checkUpload(now);
            return;
        }
        PromisedStream late = promised();
        boolean waiting = late == null ? state.get() == State.WAITING : late.isAwaited();
        boolean uploading = upload != null && !upload.isOver();
        long limit = pace.limit(waiting && !uploading);
        Downstream streaming = streaming();
        if (pace.still(now) > limit) {
            failIdle(limit, streaming);
        } else if (pace.isTooLong(now) && !isEventStream()) {
            failInAll(streaming);
        } else if (comments && streaming != null && pace.takeComment(now, exchanges.commentNanos())) {
            streaming.comment();
        } else if (streaming == null && waiting && promise != null && pace.takeComment(now, exchanges.commentNanos())) {
            begin(promise);
        }
    }

    private boolean isEventStream() {
        AnswerHead answer = head;
        return answer != null && answer.isEventStream();
    }

    private void failInAll(@Nullable Downstream streaming) {
        if (streaming == null ? upload != null && upload.waitsForClient() : streaming.waitsForClient()) {
            report.left();
        }
        fail(ProxyError.TIMEOUT, new TimeoutException("not done in the time that it may take in all"));
    }

    private void failIdle(long limit, @Nullable Downstream streaming) {
        String time = " for " + limit / 1_000_000 + " ms";
        if (streaming == null && upload != null && upload.waitsForClient()) {
            fail(ProxyError.BODY_TOO_SLOW, new TimeoutException("the client sent nothing" + time));
            return;
        }
        boolean client = streaming != null && streaming.waitsForClient();
        if (client) {
            report.left();
        }
        String who = client ? "the client read nothing" : "the upstream sent nothing";
        fail(ProxyError.TIMEOUT, new TimeoutException(who + time));
    }

    /** What comes after the answer is waited for as long as it moves, if it is wanted, and else for a while. */
    private void checkUpload(long now) {
        if (upload != null && pace.still(now) > (upload.isWanted() ? pace.limit(false) : LINGER_NANOS)) {
            upload.quit();
        }
    }

    @Override
    public void onUploadMoved() {
        pace.moved(exchanges.nanos());
    }

    @Override
    public void onTooLarge() {
        fail(ProxyError.BODY_TOO_LARGE, new IOException("the body has more bytes than are let through"));
    }

    @Override
    public void onBrokenUpload(Throwable cause) {
        fail(ProxyError.BODY_BROKEN, new IOException("the client broke its body off: " + cause));
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
        pace.moved(exchanges.nanos());
    }

    @Override
    public void onDelivered() {
        if (end(State.STREAMING) || end(State.PROMISED)) {
            // Its upstream has more to say if the stream was finished here.
            report.left();
            conclusion.complete(leaveIfUnwanted());
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
            conclusion.leave();
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
        pace.moved(exchanges.nanos());
        blame(error, reason);
        abort(new IOException(reason));
        judged.served();
        conclusion.note(reason);
        late.say(error.body(judged));
        return true;
    }

    private void blame(ProxyError error, String reason) {
        if (error.isNotTheUpstreams()) {
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
        pace.moved(exchanges.nanos());
        if (upload == null || upload.isOver()) {
            exchanges.remove(this);
        }
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
