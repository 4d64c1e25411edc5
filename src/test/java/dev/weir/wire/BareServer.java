package dev.weir.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.function.Consumer;

/** A port on which a test gets the bare connections, to do with them what it likes. */
public final class BareServer implements AutoCloseable {

    private final ServerSocket listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    private final Consumer<Socket> connections;

    /** @param connections is given each connection, by one thread */
    public BareServer(Consumer<Socket> connections) throws IOException {
        this.connections = connections;
        Thread thread = new Thread(this::accept, "bare-server");
        thread.setDaemon(true);
        thread.start();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                socket.setTcpNoDelay(true);
                connections.accept(socket);
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
