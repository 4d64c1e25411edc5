package dev.weir.alert;

import java.time.Instant;

/** How alerts are written for one kind of receiver, and how its answers are read. Without state. */
interface Format {

    /**
     * An alert as it is to be sent.
     *
     * @param now the time of sending, which some signatures hold
     */
    Post write(AlertTarget target, Alert alert, Instant now);

    /** What an answer means. */
    Result read(Answer answer);

    /** Whether the body of an answer says more than its status. */
    boolean needsBody();
}
