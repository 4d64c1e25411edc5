package dev.weir.web;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;

/**
 * Runs something when an exchange really ends, which with an asynchronous servlet is long after the chain has returned. The
 * only listener of this kind: whatever is to be released at the end is released by it.
 */
final class OnFinish implements AsyncListener {

    private final Runnable end;

    private OnFinish(Runnable end) {
        this.end = end;
    }

    /**
     * Runs something when the exchange ends: now, if it has ended already. To be called when the chain has returned; the end
     * may come more than once, so what is run must see to it that only its first run counts.
     */
    static void of(ServletRequest request, Runnable end) {
        if (request.isAsyncStarted()) {
            try {
                request.getAsyncContext().addListener(new OnFinish(end));
                return;
            } catch (IllegalStateException e) {
                // It ended between the question and the answer.
            }
        }
        end.run();
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end.run();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // Completion follows.
    }

    @Override
    public void onError(AsyncEvent event) {
        // Jetty ends an exchange whose client left in the middle of the answer without telling of its completion.
        end.run();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // The container forgets the listeners of the cycle before.
        event.getAsyncContext().addListener(this);
    }
}
