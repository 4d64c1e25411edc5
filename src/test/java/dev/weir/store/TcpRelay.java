package dev.weir.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between a client and a server on loopback, and can fail in the ways of a network. */
public final class TcpRelay implements AutoCloseable {

    private final class Pair {
        final Socket client;
        final Socket server;
        volatile boolean frozen;

        Pair(Socket client, Socket server) {
            this.client = client;
            this.server = server;
            thread(() -> pump(client, server)).start();
            thread(() -> pump(server, client)).start();
        }

        private void pump(Socket from, Socket to) {
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] bytes = new byte[8192];
                for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                    awaitSound();
                    if (!frozen) {
                        out.write(bytes, 0, n);
                        out.flush();
                    }
                }
            } catch (IOException e) {
                // The other end learns of it by the closing.
            }
        }

        void cut() throws IOException {
            client.close();
            server.close();
        }
    }

    private final ServerSocket front;
    private final int target;
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private volatile boolean away;
    private boolean silent;

    /** @param target the port of the server on 127.0.0.1 */
    public TcpRelay(int target) throws IOException {
        this.target = target;
        front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept).start();
    }

    /** The port of this relay on 127.0.0.1. */
    public int port() {
        return front.getLocalPort();
    }

    /** Cuts all connections, and every new one at once, until {@link #back}. */
    public void away() throws IOException {
        away = true;
        for (Pair pair : pairs) {
            pair.cut();
        }
    }

    /** Lets new connections through again. */
    public void back() {
        away = false;
    }

    /** Lets nothing more through on the connections that there are, which stay open. New ones work. */
    public void freeze() {
        pairs.forEach(pair -> pair.frozen = true);
    }

    /** Keeps back all that is sent, on all connections and new ones, until {@link #sound}: as a network that loses packets. */
    public synchronized void silence() {
        silent = true;
    }

    /** Lets all go on that was kept back. */
    public synchronized void sound() {
        silent = false;
        notifyAll();
    }

    private synchronized void awaitSound() throws InterruptedIOException {
        try {
            while (silent) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = front.accept();
                if (away) {
                    client.close();
                } else {
                    relay(client);
                }
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void relay(Socket client) throws IOException {
        try {
            pairs.add(new Pair(client, new Socket(InetAddress.getLoopbackAddress(), target)));
        } catch (ConnectException e) {
            client.close();
        }
    }

    private static Thread thread(Runnable runnable) {
        Thread thread = new Thread(runnable, "relay");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() throws IOException {
        front.close();
        away();
        sound();
    }
}
