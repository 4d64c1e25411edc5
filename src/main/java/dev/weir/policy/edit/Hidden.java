package dev.weir.policy.edit;

import java.util.regex.Pattern;

/** What is not shown to those who may not see secrets. */
public final class Hidden {

    /** Stands where a secret would. */
    public static final String PLACEHOLDER = "…";

    /** Text that names a secret and has none: one reference, with a scheme of HTTP before it or not. */
    private static final Pattern REFERENCE =
            Pattern.compile("(?:(?i:bearer|basic|token) +)?\\$\\{(?:secret|basic)\\.[A-Za-z0-9_-]+}");

    private Hidden() {}

    /** Whether a text only says where a secret is kept, and so may be shown to everybody. */
    public static boolean isReference(String text) {
        return REFERENCE.matcher(text).matches();
    }
}
