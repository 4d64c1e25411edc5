package dev.weir.upstream;

import org.jspecify.annotations.Nullable;

/**
 * Whether an upstream is told who calls. Immutable; its text shows no secret.
 *
 * @param told   whether it is
 * @param secret what is signed with, at least 32 bytes; null for no signature
 */
public record Introduction(boolean told, @Nullable String secret) {

    /** Says nothing. */
    public static final Introduction NONE = new Introduction(false, null);

    @Override
    public String toString() {
        return "Introduction[told=" + told + ", signed=" + (secret != null) + "]";
    }
}
