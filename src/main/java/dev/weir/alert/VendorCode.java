package dev.weir.alert;

import java.util.Map;
import java.util.OptionalInt;

/** Answers of receivers that say in their bodies whether they took an alert, whatever the status is. */
final class VendorCode {

    private VendorCode() {}

    /**
     * The result of a code that is not zero.
     *
     * @param mayPass whether the code is one of those that pass
     * @param known   what codes mean
     */
    static Result result(int code, boolean mayPass, Map<Integer, String> known, Answer answer) {
        String meaning = known.get(code);
        String reason = "answered the code " + code
                + (meaning != null ? ": " + meaning : mayPass ? ": too often, or not now" : "");
        return mayPass ? new Result(Result.Kind.MAY_PASS, reason, answer.retryAfter()) : Result.refused(reason);
    }

    /** The result where the code is zero, or there is none: then the answer is somebody else's. */
    static Result orStatus(OptionalInt code, Answer answer) {
        Result byStatus = Result.ofStatus(answer);
        return byStatus.delivered() && code.isEmpty()
                ? Result.refused("answered " + answer.status() + ", but not in the words of this format")
                : byStatus;
    }
}
