package dev.weir.upstream;

import java.util.List;

/**
 * Tells some watches how one call goes, in the order that they may rely on: once it has ended they are told nothing more. So
 * whoever might be the end of a call can say so, and the first one counts. Safe for use by many threads.
 */
public final class CallReport implements CallWatch {

    private final List<CallWatch> watches;
    private boolean over;

    public CallReport(List<CallWatch> watches) {
        this.watches = List.copyOf(watches);
    }

    @Override
    public synchronized void answering(int status) {
        if (!over) {
            watches.forEach(watch -> watch.answering(status));
        }
    }

    @Override
    public synchronized void streaming() {
        if (!over) {
            watches.forEach(CallWatch::streaming);
        }
    }

    @Override
    public synchronized void answered() {
        if (end()) {
            watches.forEach(CallWatch::answered);
        }
    }

    @Override
    public synchronized void failed(String why) {
        if (end()) {
            watches.forEach(watch -> watch.failed(why));
        }
    }

    @Override
    public synchronized void left() {
        if (end()) {
            watches.forEach(CallWatch::left);
        }
    }

    private boolean end() {
        boolean first = !over;
        over = true;
        return first;
    }
}
