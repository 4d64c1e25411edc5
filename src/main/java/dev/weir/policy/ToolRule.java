package dev.weir.policy;

import dev.weir.limit.Charge;

/**
 * What calls of one tool get.
 *
 * @param access whether it may be called at all
 * @param charge what a call is charged, all levels
 */
public record ToolRule(Access access, Charge charge) {

    /** Whether a tool may be called. */
    public enum Access {
        OPEN,
        /** Its row says that it is not enabled. */
        DISABLED,
        /** It has no row, and tools without one are refused. */
        UNREGISTERED
    }
}
