package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way up and its answer on the way down.
 *
 * <p>It waits for the head of the answer; then it either holds a short answer back until it is whole and writes it at once,
 * or streams it. Where that takes long and the client may have gone, it promises a stream, into which the answer goes. It ends
 * once: delivered, answered with an error of the proxy, broken off, or left by the client. Whoever moves the state to its end
 * does the ending.
 */
final class Exchange implements UpstreamClient.Answer, Downstream.Owner, Upload.Owner {

    /** Answers shorter than this are written whole, as far as the container's buffer takes them without waiting. */
    private static final int SHORT_ANSWER = 8 * 1024;

    private static final int LONGEST_REASON = 200;

    private static final byte[] NOTHING = {};

    private enum State {
        WAITING,
        PROMISED,
        HOLDING,
        STREAMING,
        ENDED
    }

    private final JudgedRequest judged;
    private final Conclusion conclusion;
    private final HttpServletResponse response;
    private final Exchanges exchanges;
    private final Expectation expected;
    private final CallReport report;
    private final Patience patience;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile UpstreamClient.@Nullable Call call;
    private volatile @Nullable Downstream downstream;
    private volatile @Nullable AnswerHead head;
    private volatile boolean comments;
    private volatile boolean finishing;
    private volatile boolean longLived;

    // Touched by the upstream's calls only, which come one at a time.
    private @Nullable ShortAnswer held;
    private @Nullable ErrorAnswer error;
    private long received;

    /**
     * @param async  started, with the servlet's own request and response
     * @param report is told what the exchange says of its upstream
     */
    Exchange(
            Upstream upstream,
            JudgedRequest judged,
            AsyncContext async,
            Exchanges exchanges,
            Expectation expected,
            CallReport report) {
        this.judged = judged;
        this.expected = expected;
        this.conclusion =
                new Conclusion(async, judged, expected.upload(), this::onClientGone, () -> exchanges.remove(this));
        this.response = conclusion.response();
        this.exchanges = exchanges;
        this.report = report;
        this.patience = new Patience(upstream.limits(), exchanges.commentNanos(), exchanges::nanos);
    }

    void start(UpstreamClient client, Upstream upstream, UpstreamRequest request) {
        conclusion.begin();
        Upload upload = expected.upload();
        if (upload != null) {
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
        PassThrough plain = expected.plain();
        AnswerHead answer = plain == null ? new AnswerHead(status, headers) : plain.head(status, headers);
        String refusal = expected.refusal(answer, headers);
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
        patience.moved();
        if (!state.compareAndSet(State.WAITING, State.HOLDING)) {
            takeLate(answer);
        } else if (plain != null && plain.replaces(status)) {
            error = new ErrorAnswer(answer);
        } else if (plain == null || !plain.isBodiless(status)) {
            begin(answer);
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

    private void begin(AnswerHead answer) {
        long length = answer.contentLength();
        if (answer.isEventStream()) {
            stream(answer);
        } else if (length >= 0 && length < Math.min(SHORT_ANSWER, response.getBufferSize())) {
            held = new ShortAnswer((int) length);
        }
    }

    @Override
    public void onContent(ByteBuffer content, Runnable more) {
        patience.moved();
        received += content.remaining();
        AnswerHead answer = head;
        if (answer != null && received == answer.contentLength()) {
            judged.served();
        }
        PromisedStream late = promised();
        if (late != null) {
            late.pass(content, more);
        } else if (state.get() == State.ENDED) {
            more.run();
        } else if (error != null) {
            if (!error.add(content)) {
                replace(error);
            }
            more.run();
        } else if (held != null) {
            held.add(content);
            more.run();
        } else {
            pass(answer, content, more);
        }
    }

    private void pass(@Nullable AnswerHead answer, ByteBuffer content, Runnable more) {
        if (downstream == null && answer != null) {
            stream(answer);
        }
        LegacyStream legacy = expected.legacy();
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
        if (late != null ? !late.complete() : answer == null) {
            refuse(ProxyError.UNAVAILABLE, "the upstream ended without an answer");
        } else if (streaming != null) {
            streaming.complete();
        } else if (error != null) {
            replace(error);
        } else if (answer != null && end(State.HOLDING)) {
            deliver(answer);
        }
    }

    private void deliver(AnswerHead answer) {
        PassThrough plain = expected.plain();
        leaveUnwanted(answer);
        if (plain != null && plain.isBodiless(answer.status())) {
            conclusion.deliverHead(answer);
        } else {
            conclusion.deliver(answer, held == null ? NOTHING : held.bytes());
        }
    }

    private void replace(ErrorAnswer answer) {
        if (end(State.HOLDING)) {
            report.answered();
            // There is more of it, or of the request, than anybody waits for.
            abort(new IOException("an error answer"));
            conclusion.replace(answer);
        }
    }

    /** An upstream that has said no is not sent the rest of the request. */
    private void leaveUnwanted(AnswerHead answer) {
        if (answer.status() >= 400 && isUploading()) {
            abort(new IOException("answered before the request was whole"));
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        PromisedStream late = promised();
        if (late != null && late.isRefused()) {
            // The call was given up here, and its client has been told.
            return;
        }
        if (cause instanceof StaleConnectionException && patience.isFresh()) {
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
        Downstream streaming = streaming();
        if (!refuse(error, text(cause)) && streaming != null) {
            blame(error, text(cause));
            streaming.breakOffAtOnce(cause);
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
            finishing = true;
            streaming.finish();
        }
    }

    /** Looks whether a limit of time is over. Called by one thread at a time. */
    void check(long now) {
        Upload upload = expected.upload();
        if (state.get() == State.ENDED) {
            if (upload != null && patience.isUploadOver(now, upload.isWanted())) {
                upload.quit();
            }
            return;
        }
        PromisedStream late = promised();
        boolean waiting = late == null ? state.get() == State.WAITING : late.isAwaited();
        AnswerHead answer = head;
        boolean events = answer != null && answer.isEventStream();
        Duration standstill = patience.standstill(now, waiting && !isUploading());
        Duration total = events ? null : patience.total(now);
        if (standstill != null) {
            failIdle(standstill);
        } else if (total != null) {
            failInAll(total);
        } else if ((comments || waiting) && patience.isCommentDue(now)) {
            comment(waiting);
        }
    }

    private void failInAll(Duration limit) {
        Upload upload = expected.upload();
        Downstream streaming = streaming();
        if (streaming == null ? upload != null && upload.waitsForClient() : streaming.waitsForClient()) {
            report.left();
        }
        fail(ProxyError.TIMEOUT, new TimeoutException("not done after " + limit.toMillis() + " ms"));
    }

    private void failIdle(Duration limit) {
        Upload upload = expected.upload();
        Downstream streaming = streaming();
        boolean client = streaming != null && streaming.waitsForClient();
        String time = limit.toMillis() + " ms";
        if (streaming == null && upload != null && upload.waitsForClient()) {
            fail(ProxyError.BODY_TOO_SLOW, new TimeoutException("the client sent nothing for " + time));
        } else if (client) {
            report.left();
            fail(ProxyError.TIMEOUT, new TimeoutException("the client read nothing for " + time));
        } else {
            fail(ProxyError.TIMEOUT, new TimeoutException("the upstream sent nothing for " + time));
        }
    }

    /** Finds out whether the client is still there, for which there may have to be a stream first. */
    private void comment(boolean waiting) {
        Downstream streaming = streaming();
        PromisedStream promise = expected.promise();
        if (comments && streaming != null) {
            streaming.comment();
        } else if (waiting && promise != null) {
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
        return state.get() == State.PROMISED ? expected.promise() : null;
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
            if (answer.contentLength() >= 0 && !(expected.legacy() != null && answer.isEventStream())) {
                response.setContentLengthLong(answer.contentLength());
            }
            comments = answer.isEventStream() && answer.isPlainText() && answer.contentLength() < 0;
            streaming.open();
        } catch (IOException | RuntimeException e) {
            onClientGone(e);
        }
    }

    private boolean isUploading() {
        Upload upload = expected.upload();
        return upload != null && !upload.isOver();
    }

    @Override
    public void onUploadMoved() {
        patience.moved();
    }

    @Override
    public void onTooLarge() {
        fail(ProxyError.BODY_TOO_LARGE, new IOException("the body has more bytes than are let through"));
    }

    @Override
    public void onBrokenUpload(Throwable cause) {
        fail(ProxyError.BODY_BROKEN, new IOException("the client broke its body off: " + cause));
    }

    @Override
    public void onWritten() {
        patience.moved();
    }

    @Override
    public void onDelivered() {
        if (!end(State.STREAMING) && !end(State.PROMISED)) {
            return;
        }
        AnswerHead answer = head;
        if (finishing) {
            // Its upstream has more to say.
            report.left();
            abort(new IOException("the stream was finished"));
        } else if (answer != null) {
            leaveUnwanted(answer);
        }
        conclusion.complete(answer != null && answer.status() < 400);
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
        patience.moved();
        blame(error, reason);
        abort(new IOException(reason));
        judged.served();
        conclusion.note(reason);
        late.say(error.body(judged));
        return true;
    }

    private void blame(ProxyError error, String reason) {
        if (error.isUpstreamsFault()) {
            report.failed(reason);
        } else {
            report.left();
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
        patience.moved();
        if (!isUploading()) {
            exchanges.remove(this);
        }
        LegacyStream legacy = expected.legacy();
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
