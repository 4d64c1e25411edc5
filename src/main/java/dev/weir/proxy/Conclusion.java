package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * How one exchange is ended towards the container: with a short answer, with an error of the proxy, as a streamed answer that
 * is whole, or as one that is not. Each of these is to be called by whoever has ended the exchange, and so once in all.
 */
final class Conclusion implements AsyncListener {

    /** The request attribute that makes the servlet fail on purpose, on the dispatch that breaks an answer off. */
    static final String BROKEN = "dev.weir.proxy.broken";

    private final AsyncContext async;
    private final HttpServletResponse response;
    private final JudgedRequest judged;
    private final Consumer<Throwable> left;

    /**
     * @param async started, with the servlet's own request and response
     * @param left  told when the container has ended the exchange by itself; also of every other end, when it has come
     */
    Conclusion(AsyncContext async, JudgedRequest judged, Consumer<Throwable> left) {
        this.async = async;
        this.response = (HttpServletResponse) async.getResponse();
        this.judged = judged;
        this.left = left;
    }

    /** To be called before there can be an end. */
    void begin() {
        async.setTimeout(0);
        async.addListener(this);
    }

    HttpServletResponse response() {
        return response;
    }

    /** Writes a whole answer, which is short enough for the container to take it without waiting. */
    void deliver(AnswerHead head, byte[] body) {
        try {
            head.applyTo(response);
            if (body.length > 0) {
                // Without its length, because with it this write would be the last and might wait for a slow client.
                response.getOutputStream().write(body);
            }
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete();
    }

    /** Answers in the upstream's place. */
    void refuse(ProxyError error, String reason) {
        async.getRequest().setAttribute(JudgedRequest.FAILURE, reason);
        try {
            error.write(response, judged);
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete();
    }

    /** Ends an answer that has begun, so that the client sees that it is not whole. */
    void breakOff(String reason) {
        async.getRequest().setAttribute(JudgedRequest.FAILURE, reason);
        async.getRequest().setAttribute(BROKEN, true);
        try {
            // To complete would end the body in good order. What containers take for a broken answer, and what makes
            // them cut the connection, is a servlet that throws when the head has gone out already.
            async.dispatch();
        } catch (IllegalStateException e) {
            // The container has ended it.
        }
    }

    /** Ends an answer that is whole, or that nobody is there for any more. */
    void complete() {
        try {
            async.complete();
        } catch (IllegalStateException e) {
            // The container has ended it.
        }
    }

    @Override
    public void onError(AsyncEvent event) {
        left.accept(event.getThrowable());
    }

    @Override
    public void onComplete(AsyncEvent event) {
        left.accept(new IOException("the container ended the exchange"));
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // There is none: the limits are checked by the sweep.
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // Started once.
    }
}
