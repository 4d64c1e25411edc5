package dev.weir.upstream;

import java.io.IOException;

/**
 * A connection on which calls had been answered before was closed without a byte of an answer to this one. Most probably the
 * upstream closed it as unused, in the moment in which the call was sent; nobody can know whether it has run.
 */
public final class StaleConnectionException extends IOException {

    StaleConnectionException(Throwable cause) {
        super("closed when it was used again: " + cause, cause);
    }
}
