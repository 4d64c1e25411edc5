package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
    private final @Nullable Upload upload;
    private final Consumer<Throwable> left;
    private final Runnable over;

    /**
     * @param async  started, with the servlet's own request and response
     * @param upload the request's body, if it comes in while the answer goes out; the end is not told before its reading is
     * @param left   told when the container has ended the exchange by itself; also of every other end, when it has come
     * @param over   run when the container has been told
     */
    Conclusion(
            AsyncContext async,
            JudgedRequest judged,
            @Nullable Upload upload,
            Consumer<Throwable> left,
            Runnable over) {
        this.async = async;
        this.response = (HttpServletResponse) async.getResponse();
        this.judged = judged;
        this.upload = upload;
        this.left = left;
        this.over = over;
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
        boolean early = isEarly();
        try {
            head.applyTo(response);
            if (body.length > 0) {
                if (early) {
                    response.setContentLength(body.length);
                }
                // Else without it, because with it this write would be the last and might wait for a slow client.
                response.getOutputStream().write(body);
            }
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete(head.status() < 400);
    }

    /** Writes the head of an answer that has no body. */
    void deliverHead(AnswerHead head) {
        try {
            head.applyWithoutBodyTo(response);
            // Before the container says that the length is zero.
            response.flushBuffer();
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete(head.status() < 400);
    }

    /** Answers in place of what the upstream has said. */
    void replace(ErrorAnswer error) {
        async.getRequest().setAttribute(JudgedRequest.FAILURE, error.reason());
        try {
            closeIfEarly();
            error.write(response, judged.requestId());
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete(false);
    }

    /** Leaves the reason of a failure for the log. */
    void note(String reason) {
        async.getRequest().setAttribute(JudgedRequest.FAILURE, reason);
    }

    /** Answers in the upstream's place. */
    void refuse(ProxyError error, String reason) {
        note(reason);
        try {
            closeIfEarly();
            error.write(response, judged);
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete(false);
    }

    /** Answers in the place of an upstream whose circuit is open. */
    void turnAway(CircuitOpen open) {
        note(open.words());
        try {
            closeIfEarly();
            open.write((HttpServletRequest) async.getRequest(), response, judged);
        } catch (IOException | RuntimeException e) {
            // The client is gone, which the container finds out as well when it completes.
        }
        complete(false);
    }

    /** Whether the client is still sending. */
    private boolean isEarly() {
        return upload != null && !upload.isOver();
    }

    /** What the client may still have on its way would be taken for the next request. */
    private void closeIfEarly() {
        if (isEarly()) {
            response.setHeader("Connection", "close");
        }
    }

    /** Ends an answer that has begun, so that the client sees that it is not whole. */
    void breakOff(String reason) {
        note(reason);
        async.getRequest().setAttribute(BROKEN, true);
        endWithUpload(true, () -> {
            over.run();
            try {
                // To complete would end the body in good order. What containers take for a broken answer, and cut
                // the connection for, is a servlet that throws when the head has gone out already.
                async.dispatch();
            } catch (IllegalStateException e) {
                // The container has ended it.
            }
        });
    }

    /**
     * Ends an answer that is whole.
     *
     * @param wanted whether what is still to come of the request is to reach the upstream all the same
     */
    void complete(boolean wanted) {
        Upload rest = upload;
        if (rest == null || rest.isOver()) {
            endWithUpload(false, this::completeNow);
            return;
        }
        try {
            // The client may wait for the end of the answer before it goes on, or stops, sending.
            if (wanted) {
                response.flushBuffer();
            } else {
                response.getOutputStream().close();
            }
        } catch (IOException | RuntimeException e) {
            // The client is gone, and reading from it will say so.
        }
        endWithUpload(false, this::completeNow);
        if (!wanted) {
            rest.discard();
        }
    }

    /** Ends it without an answer, because nobody is there for one. */
    void leave() {
        endWithUpload(true, this::completeNow);
    }

    /** Not before the reading has ended: once it knows the end, a container uses the request for the next client. */
    private void endWithUpload(boolean atOnce, Runnable end) {
        if (upload == null) {
            end.run();
            return;
        }
        upload.whenOver(end);
        if (atOnce) {
            upload.quit();
        }
    }

    private void completeNow() {
        over.run();
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
