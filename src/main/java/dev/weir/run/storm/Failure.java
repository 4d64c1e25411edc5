package dev.weir.run.storm;

import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Why a call or a handshake came to nothing, in one line. */
final class Failure {

    private static final int LONGEST = 300;

    private Failure() {}

    /** Says it in the words of the innermost cause that has any; several of the JDK's have none. */
    static String words(Throwable error) {
        String words = error.getClass().getSimpleName();
        for (@Nullable Throwable cause = error; cause != null; cause = cause.getCause()) {
            String known = known(cause);
            if (known != null) {
                return known;
            }
            if (cause.getMessage() != null) {
                words = cause.getMessage();
            }
        }
        return oneLine(words);
    }

    /** The same text without line breaks, and not longer than a reader has patience for. */
    static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }

    private static @Nullable String known(Throwable cause) {
        if (cause instanceof McpHttpClientTransportAuthorizationException refused) {
            int status = refused.getResponseInfo().statusCode();
            return status == 401
                    ? "HTTP 401, the API key is missing or not good (--key or WEIR_KEY)"
                    : "HTTP " + status;
        }
        if (cause instanceof ConnectException) {
            return "cannot connect";
        }
        if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
            return "no answer in time";
        }
        return null;
    }
}
