package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.ToolListing;
import dev.weir.upstream.CallReport;
import dev.weir.upstream.Upstream;
import dev.weir.upstream.UpstreamClient;
import dev.weir.upstream.UpstreamRequest;
import jakarta.servlet.AsyncContext;
import java.io.IOException;
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
final class Exchange implements Downstream.Owner, Upload.Owner {

    private static final int LONGEST_REASON = 200;

    /** How long a client may go on sending what nobody wants, once it has its answer. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How far it is. */
    enum State {
        WAITING,
        PROMISED,
        HOLDING,
        STREAMING,
        ENDED
    }

    private final Upstream upstream;
    private final JudgedRequest judged;
    private final Conclusion conclusion;
    private final Answering answering;
    private final Exchanges exchanges;
    private final @Nullable LegacyStream legacy;
    private final @Nullable ToolListing tools;
    private final @Nullable Upload upload;
    private final Pace pace;
    private final CallReport report;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile UpstreamClient.@Nullable Call call;
    private volatile boolean longLived;

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
        this.answering = new Answering(this, conclusion, judged, expected, report);
        this.exchanges = exchanges;
        this.legacy = expected.legacy();
        this.tools = expected.tools();
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
        UpstreamClient.Call sent = client.send(upstream, request, answer(request));
        call = sent;
        if (state.get() == State.ENDED) {
            // It ended before there was anything to abort.
            sent.abort(new IOException("ended before it began"));
        }
    }

    /** What takes the answer in, where tools are to be cut out of it first. */
    private UpstreamClient.Answer answer(UpstreamRequest request) {
        return tools == null
                ? answering
                : new ListedTools(answering, tools, request.method().equals("POST"), this::moved);
    }

    /** Ends it instead of starting it, where the body of its request is on its way already and the circuit is open. */
    void turnAway(CircuitOpen open) {
        conclusion.begin();
        if (upload != null && !upload.isAwaitingInvitation()) {
            upload.begin(this);
        }
        exchanges.add(this);
        if (end(State.WAITING)) {
            conclusion.turnAway(open);
        }
    }

    /** Ends this exchange at once: by an error of the proxy if the client has seen nothing yet, else by breaking off. */
    void fail(ProxyError error, Throwable cause) {
        if (!refuse(error, text(cause))) {
            Downstream streaming = answering.out();
            if (isIn(State.ENDED)) {
                stopReading();
            } else if (streaming != null) {
                blame(error, text(cause));
                streaming.breakOffAtOnce(cause);
            }
        }
    }

    private void stopReading() {
        if (upload != null) {
            upload.quit();
        }
    }

    /** Whether the answer stays open until one of the sides ends it. */
    boolean isLongLived() {
        return longLived;
    }

    /**
     * Ends a stream that stays open by itself, once it stands between two events. An answer to a call is none of these: without
     * its last event a clean end would be no answer at all.
     */
    void finish() {
        if (!longLived) {
            return;
        }
        answering.finish();
    }

    /** Looks whether a limit of time is over. Called by one thread at a time. */
    void check(long now) {
        if (state.get() == State.ENDED) {
            checkUpload(now);
            return;
        }
        boolean uploading = upload != null && !upload.isOver();
        long limit = pace.limit(answering.isAwaited() && !uploading);
        Downstream streaming = answering.out();
        if (pace.still(now) > limit) {
            failIdle(limit, streaming);
        } else if (pace.isTooLong(now) && !answering.isEventStream()) {
            failInAll(streaming);
        } else if (answering.takesComment() && pace.takeComment(now, exchanges.commentNanos())) {
            answering.comment();
        }
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
        moved();
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
        moved();
    }

    @Override
    public void onDelivered() {
        if (end(State.STREAMING) || end(State.PROMISED)) {
            // Its upstream has more to say if the stream was finished here.
            report.left();
            conclusion.complete(answering.leaveIfUnwanted());
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
    boolean refuse(ProxyError error, String reason) {
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
        PromisedStream late = answering.promised();
        if (late == null || !late.refuse()) {
            return false;
        }
        moved();
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
    static String text(Throwable cause) {
        String text = cause.toString();
        return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
    }

    /** Whether it is so far, and no farther. */
    boolean isIn(State here) {
        return state.get() == here;
    }

    /** Goes from one state to the next; false if it is not where that would have to begin. */
    boolean move(State from, State to) {
        return state.compareAndSet(from, to);
    }

    /** Something has come or gone, so that the time in which nothing does begins anew. */
    void moved() {
        pace.moved(exchanges.nanos());
    }

    /** How long ago it began, in nanoseconds. */
    long age() {
        return pace.age(exchanges.nanos());
    }

    /** Ends it, if it is in a state; whoever gets true has to do the ending. */
    boolean end(State from) {
        if (!move(from, State.ENDED)) {
            return false;
        }
        moved();
        if (upload == null || upload.isOver()) {
            exchanges.remove(this);
        }
        if (legacy != null) {
            legacy.close();
        }
        return true;
    }

    /** Gives the call to the upstream up, if it is under way. */
    void abort(Throwable cause) {
        UpstreamClient.Call sent = call;
        if (sent != null) {
            sent.abort(cause);
        }
    }
}
