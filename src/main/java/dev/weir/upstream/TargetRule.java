package dev.weir.upstream;

import java.time.Duration;

/**
 * When a target is taken for dead, and when it is tried again.
 *
 * @param calls  the failed calls in a row that take it out
 * @param checks the failed checks in a row that take it out
 * @param pause  how long it is left alone before a call may find out whether it is back
 */
public record TargetRule(int calls, int checks, Duration pause) {

    /** The same for all routes: docs/policy.md says so too. */
    public static final TargetRule DEFAULT = new TargetRule(3, 2, Duration.ofSeconds(10));
}
