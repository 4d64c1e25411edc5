package dev.weir.upstream;

import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLHandshakeException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/** How far one request has come on its way, so that its end can be told for what it is. */
final class Sending implements Response.CompleteListener {

    private final UpstreamClient.Answer answer;
    private final Runnable ended;
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile boolean begun;
    private volatile @Nullable Connection connection;
    private volatile long readBefore;
    private volatile boolean committed;

    /** @param ended run once, before the answer is told of the end */
    Sending(UpstreamClient.Answer answer, Runnable ended) {
        this.answer = answer;
        this.ended = ended;
    }

    /** There is a connection to send on. With TLS, the two sides have not yet agreed. */
    void onBegun(Request request) {
        if (request.getConnection() instanceof Connection on) {
            readBefore = on.getBytesIn();
            connection = on;
        }
        begun = true;
    }

    /** The head of the request was sent. */
    void onCommitted() {
        committed = true;
    }

    /**
     * The answer is whole, the request perhaps not yet.
     *
     * @param sent whether the end of the request is sure to follow
     */
    void onAnswered(boolean sent) {
        if (!sent && told.compareAndSet(false, true)) {
            answer.onComplete();
        }
    }

    @Override
    public void onComplete(Result result) {
        ended.run();
        if (!told.compareAndSet(false, true)) {
            return;
        }
        // A request that broke off while its answer came whole (a server that did not care for the body) is answered.
        Throwable failure = result.getResponseFailure();
        if (failure == null) {
            answer.onComplete();
        } else if (!begun || (!committed && failure instanceof SSLHandshakeException)) {
            answer.onNothingSent(failure);
        } else {
            answer.onFailure(isStale() ? new StaleConnectionException(failure) : failure);
        }
    }

    private boolean isStale() {
        Connection on = connection;
        return on != null && readBefore > 0 && on.getBytesIn() == readBefore;
    }
}
