package dev.weir.auth;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a client may beside calling tools, each role more than the one before. */
public enum Role {

    /** Nothing. */
    AGENT,

    /** To look: at the numbers, and at how all is in detail. */
    VIEWER,

    /** To act on what is going on: to lift bans, say. */
    OPERATOR,

    /** Everything. */
    ADMIN;

    /**
     * The role of this word.
     *
     * @throws IllegalArgumentException naming the words that there are, if this is none of them
     */
    public static Role of(String word) {
        for (Role role : values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        String words = Arrays.stream(values()).map(Role::word).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("role must be one of " + words + ", not [" + word + "]");
    }

    /** Whether this role includes another. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
