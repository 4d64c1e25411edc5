package dev.weir.store;

/** The database could not be opened. The message is one sentence for an operator: which database, and why not. */
public final class DatabaseUnavailableException extends Exception {

    DatabaseUnavailableException(String message) {
        super(message);
    }

    DatabaseUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
