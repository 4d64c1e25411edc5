package dev.weir.run;

import dev.weir.log.LogOutput;
import dev.weir.run.demo.Demo;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsException;
import dev.weir.store.DatabaseUnavailableException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;

/** Starts the embedded server, with or without the demo, and says where it is. */
final class Serve {

    /** Says in one line why serving is not possible. */
    static final class UnusableException extends RuntimeException {
        UnusableException(String message) {
            super(message);
        }
    }

    private Serve() {}

    static void start(Settings settings, boolean withDemo, PrintStream out) {
        LogOutput.use(settings.log().format());
        try {
            Demo demo = withDemo ? Demo.start(settings.dataDir()) : null;
            EmbeddedServer server = EmbeddedServer.start(settings, demo);
            server.stopAtShutdown();
            String scheme = settings.tls().keyStore().isPresent() ? "https" : "http";
            String url = scheme + "://" + settings.host().orElse("127.0.0.1") + ":" + server.port();
            out.println("Weir listens on " + url);
            String missing = server.missing();
            if (missing != null) {
                out.println("It serves nothing yet, and keeps trying: " + missing);
            }
            if (settings.admin().enabled()) {
                out.println("The console is at " + url + "/admin/ and asks for the admin token: " + token(settings));
            }
            if (demo != null) {
                demo.explain(url, out);
            }
            out.flush();
        } catch (Exception e) {
            throw reason(e, settings);
        }
    }

    /** Where the token is, and never the token. */
    private static String token(Settings settings) {
        return settings.admin().token().isPresent()
                ? "the setting mcp.admin.token"
                : "the line in " + settings.dataDir().resolve("admin-token");
    }

    /** The one line that is worth reading in whatever a server has wrapped around it. */
    private static RuntimeException reason(Exception failure, Settings settings) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SettingsException || cause instanceof DatabaseUnavailableException) {
                return new UnusableException(String.valueOf(cause.getMessage()));
            }
            if (cause instanceof BindException) {
                return new UnusableException(
                        "port " + settings.port() + " cannot be listened on: " + cause.getMessage());
            }
        }
        if (failure instanceof IOException io && io.getCause() == null) {
            return new UnusableException(String.valueOf(io.getMessage()));
        }
        return new IllegalStateException("Weir could not start", failure);
    }
}
