package dev.weir.run;

import dev.weir.app.WeirListener;
import dev.weir.log.LogOutput;
import dev.weir.settings.FrontDoor;
import dev.weir.settings.Settings;
import java.net.BindException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** A Jetty with nothing in it but Weir, for running without a container. */
public final class EmbeddedServer implements AutoCloseable {

    private static final int MAX_THREADS = 200;

    /** Calls have ended before, as far as they were waited for; this is for connections on which nothing happens. */
    private static final long STOP_MILLIS = 2_000;

    private final Server server;
    private final ServerConnector connector;
    private final WeirListener weir;

    private EmbeddedServer(Server server, ServerConnector connector, WeirListener weir) {
        this.server = server;
        this.connector = connector;
        this.weir = weir;
    }

    /**
     * Starts serving.
     *
     * @param seed see {@link WeirListener#SEED}; null for none
     * @throws BindException if the port cannot be had
     * @throws Exception     what stopped Weir from starting, as it was thrown
     */
    public static EmbeddedServer start(Settings settings, @Nullable Consumer<Jdbi> seed) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS);
        threads.setName("weir-http");
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server, Protocols.of(settings));
        connector.setHost(settings.host().orElse(null));
        connector.setPort(settings.port());
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        context.getServletContext().setAttribute(WeirListener.SETTINGS, settings);
        if (seed != null) {
            context.getServletContext().setAttribute(WeirListener.SEED, seed);
        }
        WeirListener weir = new WeirListener();
        context.addEventListener(weir);
        server.setHandler(context);
        server.setErrorHandler(new JsonErrors(FrontDoor.origins(settings)));
        server.setStopTimeout(STOP_MILLIS);
        EmbeddedServer embedded = new EmbeddedServer(server, connector, weir);
        try {
            // The port first: if it cannot be had, nothing else is to be touched.
            connector.open();
            server.start();
            return embedded;
        } catch (Exception e) {
            embedded.close();
            throw e;
        }
    }

    /** Why nobody is served yet, as one sentence; null if all are. */
    public @Nullable String missing() {
        return weir.missing();
    }

    /** The port that is listened on. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Stops serving when the process is told to end. */
    public void stopAtShutdown() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopWithLog, "weir-stop"));
    }

    private void stopWithLog() {
        try {
            close();
        } finally {
            LogOutput.close();
        }
    }

    @Override
    public void close() {
        try {
            weir.stopServing();
            server.stop();
        } catch (TimeoutException e) {
            // Connections that did not end by themselves were cut, and all else was stopped all the same.
        } catch (Exception e) {
            throw new IllegalStateException("the server did not stop cleanly", e);
        } finally {
            connector.close();
        }
    }
}
