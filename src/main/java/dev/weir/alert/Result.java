package dev.weir.alert;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What came of one attempt to deliver an alert.
 *
 * @param kind       how it ended
 * @param reason     why it was not delivered, in words of our own, so that they show no secret; empty if it was
 * @param retryAfter how long the receiver wants to be left alone; null if it does not say
 */
record Result(Kind kind, String reason, @Nullable Duration retryAfter) {

    enum Kind {
        DELIVERED,
        /** Another attempt may succeed. */
        MAY_PASS,
        /** Another attempt would fare no better. */
        REFUSED
    }

    private static final int TIMEOUT = 408;
    private static final int TOO_EARLY = 425;
    private static final int TOO_MANY = 429;

    static final Result DELIVERED = new Result(Kind.DELIVERED, "", null);

    static Result mayPass(String reason) {
        return new Result(Kind.MAY_PASS, reason, null);
    }

    static Result refused(String reason) {
        return new Result(Kind.REFUSED, reason, null);
    }

    /** What the status of an answer says. */
    static Result ofStatus(Answer answer) {
        int status = answer.status();
        if (status >= 200 && status < 300) {
            return DELIVERED;
        }
        boolean mayPass = status >= 500 || status == TIMEOUT || status == TOO_EARLY || status == TOO_MANY;
        String reason =
                "answered " + status + (status >= 300 && status < 400 ? ", and redirects are not followed" : "");
        return new Result(mayPass ? Kind.MAY_PASS : Kind.REFUSED, reason, answer.retryAfter());
    }

    boolean delivered() {
        return kind == Kind.DELIVERED;
    }
}
