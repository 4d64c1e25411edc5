package dev.weir.web;

import dev.weir.gate.Verdict;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One admitted call that waits for its tokens, without a thread. When they are there it goes through the chain once more; if
 * its caller leaves before, everything that it was promised is given back and it never begins.
 *
 * <p>That a caller has left is known as soon as the container says so. Over HTTP/2 Jetty and Tomcat do when the stream is reset
 * or the connection is lost; Jetty forgets it if that happens before the thread that began the wait is back with the container,
 * and then the call runs. Over HTTP/1.1 neither reads between a request and its answer: a container does not tell before
 * something is written, and so not before the wait is over, nor does the servlet API offer anything to ask.
 */
final class TokenWait implements AsyncListener {

    private final Verdict.Admit admit;
    private final Runnable left;

    private TokenWait(Verdict.Admit admit, Runnable left) {
        this.admit = admit;
        this.left = left;
    }

    /** @param left to be called if the caller leaves before the call begins; of no effect where it has ended otherwise */
    static void begin(HttpServletRequest request, Verdict.Admit admit, ScheduledExecutorService timer, Runnable left) {
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        async.addListener(new TokenWait(admit, left));
        var unused = timer.schedule(() -> resume(async), admit.waitNanos(), TimeUnit.NANOSECONDS);
    }

    private static void resume(AsyncContext async) {
        try {
            async.dispatch();
        } catch (IllegalStateException e) {
            // The caller has left, and the listener has given everything back.
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        // Does nothing where the call has begun: then it is the exchange's end that gives back.
        admit.cancel();
        left.run();
    }

    @Override
    public void onError(AsyncEvent event) {
        admit.cancel();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // There is none.
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // Whoever serves the call looks after its end from here on.
    }
}
