package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
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
 * or streams it. It ends once: delivered, answered with an error of the proxy, broken off, or left by the client. Whoever
 * moves the state to its end does the ending.
 */
final class Exchange implements UpstreamClient.Answer, Downstream.Owner, Upload.Owner {

    /** Answers shorter than this are written whole, as far as the container's buffer takes them without waiting. */
    private static final int SHORT_ANSWER = 8 * 1024;

    private static final int LONGEST_REASON = 200;

    private static final byte[] NOTHING = {};

    /** How long a client may go on sending what nobody wants, once it has its answer. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private enum State {
        WAITING,
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
    private final @Nullable PassThrough plain;
    private final @Nullable Upload upload;
    private final long startedAt;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile long movedAt;
    private volatile UpstreamClient.@Nullable Call call;
    private volatile @Nullable Downstream downstream;
    private volatile boolean comments;

    // Touched by the upstream's calls only, which come one at a time.
    private volatile @Nullable AnswerHead head;
    private @Nullable ShortAnswer held;
    private @Nullable ErrorAnswer error;
    private long received;

    // Touched by the timer only.
    private long commentedAt;

    /**
     * @param async  started, with the servlet's own request and response
     * @param legacy what looks after the answer if that is a stream of HTTP+SSE; null where it cannot be one
     * @param plain  what is particular to a route that is no MCP server's; null for one that is
     */
    Exchange(
            Upstream upstream,
            JudgedRequest judged,
            AsyncContext async,
            Exchanges exchanges,
            @Nullable LegacyStream legacy,
            @Nullable PassThrough plain) {
        this.upstream = upstream;
        this.judged = judged;
        this.plain = plain;
        this.upload = plain == null ? null : plain.upload();
        this.conclusion = new Conclusion(async, judged, upload, this::onClientGone, () -> exchanges.remove(this));
        this.response = conclusion.response();
        this.exchanges = exchanges;
        this.legacy = legacy;
        this.startedAt = exchanges.nanos();
        this.movedAt = startedAt;
        this.commentedAt = movedAt;
    }

    void start(UpstreamClient client, UpstreamRequest request) {
        conclusion.begin();
        if (upload != null) {
            upload.begin(this);
        }
        if (!exchanges.add(this)) {
            refuse(ProxyError.BUSY, "stopping");
            return;
        }
        if (upload != null) {
            if (upload.isTooLarge()) {
                refuse(ProxyError.BODY_TOO_LARGE, "a body of " + upload.length() + " bytes");
                return;
            }
        }
        UpstreamClient.Call sent = client.send(request, this);
        call = sent;
        if (state.get() == State.ENDED) {
            // It ended before there was anything to abort.
            sent.abort(new IOException("ended before it began"));
        }
    }

    @Override
    public void onHead(int status, List<Header> headers) {
        AnswerHead answer = plain == null ? new AnswerHead(status, headers) : plain.head(status, headers);
        String refusal = plain != null
                ? plain.refusal(answer, headers)
                : legacy == null ? answer.refusal() : answer.refusalAsStream();
        if (refusal != null) {
            refuse(ProxyError.UNAVAILABLE, refusal);
            return;
        }
        head = answer;
        if (!state.compareAndSet(State.WAITING, State.HOLDING)) {
            return;
        }
        movedAt = exchanges.nanos();
        if (plain != null && plain.replaces(status)) {
            error = new ErrorAnswer(answer);
        } else if (plain == null || !plain.isBodiless(status)) {
            begin(answer);
        }
    }

    private void begin(AnswerHead answer) {
        if (answer.isEventStream()) {
            stream(answer);
            return;
        }
        long length = answer.contentLength();
        if (length >= 0 && length < Math.min(SHORT_ANSWER, response.getBufferSize())) {
            held = new ShortAnswer((int) length);
        }
    }

    @Override
    public void onContent(ByteBuffer content, Runnable more) {
        movedAt = exchanges.nanos();
        received += content.remaining();
        if (head != null && received == head.contentLength()) {
            judged.served();
        }
        ErrorAnswer replaced = error;
        if (replaced != null) {
            if (!replaced.add(content)) {
                replace(replaced);
            }
            more.run();
            return;
        }
        ShortAnswer hold = held;
        if (hold != null) {
            hold.add(content);
            more.run();
            return;
        }
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
        Downstream streaming = downstream;
        AnswerHead answer = head;
        if (streaming != null) {
            streaming.complete();
        } else if (answer == null) {
            refuse(ProxyError.UNAVAILABLE, "the upstream ended without an answer");
        } else if (error != null) {
            replace(error);
        } else if (end(State.HOLDING)) {
            leaveUnwanted(answer);
            if (plain != null && plain.isBodiless(answer.status())) {
                conclusion.deliverHead(answer);
            } else {
                conclusion.deliver(answer, held == null ? NOTHING : held.bytes());
            }
        }
    }

    private void replace(ErrorAnswer answer) {
        if (end(State.HOLDING)) {
            // There is more of it, or of the request, than anybody waits for.
            abort(new IOException("an error answer"));
            conclusion.replace(answer);
        }
    }

    /** An upstream that has said no is not sent the rest of the request. */
    private void leaveUnwanted(AnswerHead answer) {
        if (answer.status() >= 400 && upload != null && !upload.isOver()) {
            abort(new IOException("answered before the request was whole"));
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        boolean rejected = cause instanceof RejectedExecutionException;
        Downstream streaming = downstream;
        if (!refuse(rejected ? ProxyError.BUSY : ProxyError.UNAVAILABLE, text(cause)) && streaming != null) {
            streaming.breakOff(cause);
        }
    }

    /** Ends this exchange at once: by an error of the proxy if the client has seen nothing yet, else by breaking off. */
    void fail(ProxyError error, Throwable cause) {
        if (!refuse(error, text(cause))) {
            Downstream streaming = downstream;
            if (streaming != null) {
                streaming.breakOffAtOnce(cause);
            }
        }
    }

    /** Looks whether a limit of time is over. Called by one thread at a time. */
    void check(long now) {
        long still = now - movedAt;
        if (state.get() == State.ENDED) {
            checkUpload(still);
            return;
        }
        Downstream streaming = downstream;
        boolean uploading = upload != null && !upload.isOver();
        Limits limits = upstream.limits();
        long limit = (state.get() == State.WAITING && !uploading ? limits.firstByte() : limits.idle()).toNanos();
        Duration total = limits.total();
        if (still > limit) {
            failIdle(limit, streaming);
        } else if (total != null && now - startedAt > total.toNanos() && !isEventStream()) {
            fail(ProxyError.TIMEOUT, new TimeoutException("not done after " + total.toMillis() + " ms"));
        } else if (comments && streaming != null && Math.min(still, now - commentedAt) > exchanges.commentNanos()) {
            commentedAt = now;
            streaming.comment();
        }
    }

    private void failIdle(long limit, @Nullable Downstream streaming) {
        if (streaming == null && upload != null && upload.waitsForClient()) {
            fail(ProxyError.BODY_TOO_SLOW, new TimeoutException("the client sent nothing for " + millis(limit)));
        } else {
            boolean client = streaming != null && streaming.waitsForClient();
            String who = client ? "the client read nothing for " : "the upstream sent nothing for ";
            fail(ProxyError.TIMEOUT, new TimeoutException(who + millis(limit)));
        }
    }

    /** What comes after the answer is waited for as long as it moves, if it is wanted, and else for a while. */
    private void checkUpload(long still) {
        if (upload != null
                && still > (upload.isWanted() ? upstream.limits().idle().toNanos() : LINGER_NANOS)) {
            upload.quit();
        }
    }

    private static String millis(long nanos) {
        return nanos / 1_000_000 + " ms";
    }

    private boolean isEventStream() {
        AnswerHead answer = head;
        return answer != null && answer.isEventStream();
    }

    @Override
    public void onUploadMoved() {
        movedAt = exchanges.nanos();
    }

    @Override
    public void onTooLarge() {
        fail(ProxyError.BODY_TOO_LARGE, new IOException("the body has more bytes than are let through"));
    }

    @Override
    public void onBrokenUpload(Throwable cause) {
        fail(ProxyError.BODY_BROKEN, new IOException("the client broke its body off: " + cause));
    }

    private void stream(AnswerHead answer) {
        try {
            Downstream streaming = new Downstream(response, answer.isEventStream(), this);
            downstream = streaming;
            if (!state.compareAndSet(State.HOLDING, State.STREAMING)) {
                downstream = null;
                return;
            }
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
        AnswerHead answer = head;
        if (answer != null && end(State.STREAMING)) {
            leaveUnwanted(answer);
            conclusion.complete(answer.status() < 400);
        }
    }

    @Override
    public void onBroken(Throwable cause) {
        if (end(State.STREAMING)) {
            abort(cause);
            conclusion.breakOff(text(cause));
        }
    }

    @Override
    public void onClientGone(Throwable cause) {
        if (end(State.STREAMING) || end(State.HOLDING) || end(State.WAITING)) {
            abort(cause);
            conclusion.leave();
        }
    }

    /** Answers in the upstream's place, unless the client has seen something already or all is over. */
    private boolean refuse(ProxyError error, String reason) {
        if (!end(State.WAITING) && !end(State.HOLDING)) {
            return false;
        }
        abort(new IOException(reason));
        judged.served();
        conclusion.refuse(error, reason);
        return true;
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
        movedAt = exchanges.nanos();
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
