package dev.weir.bench.streams;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** One thread that looks after a great many sockets. What is attached to a key is told what can be done. */
final class Loop implements AutoCloseable {

    /** One socket's part of the program; called by the loop's thread only. */
    interface Party {
        void ready(SelectionKey key) throws IOException;
    }

    private final Selector selector = Selector.open();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;

    Loop(String name) throws IOException {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Runs something on the loop's thread. */
    void run(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    void register(SelectableChannel channel, int interest, Party party) {
        run(() -> {
            try {
                channel.configureBlocking(false);
                channel.register(selector, interest, party);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void run() {
        try {
            while (selector.isOpen()) {
                selector.select(this::ready, 5);
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
            }
        } catch (IOException | ClosedSelectorException e) {
            // Over.
        }
    }

    private void ready(SelectionKey key) {
        try {
            ((Party) key.attachment()).ready(key);
        } catch (IOException e) {
            key.cancel();
            try {
                key.channel().close();
            } catch (IOException ignored) {
                // Closed all the same.
            }
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
