package dev.weir.auth;

import java.util.Arrays;
import java.util.stream.Collectors;

/** In which of two header fields the proxies in front say for whom they send: the other one is anybody's, and never looked at. */
public enum ForwardedHeader {

    /** {@code X-Forwarded-For}, a list of addresses, with {@code X-Forwarded-Proto} and {@code X-Forwarded-Host} beside it. */
    X_FORWARDED_FOR("X-Forwarded-For"),

    /** {@code Forwarded}, as RFC 7239 has it. */
    FORWARDED("Forwarded");

    private final String field;

    ForwardedHeader(String field) {
        this.field = field;
    }

    /**
     * The header of this name, in any case.
     *
     * @throws IllegalArgumentException naming the two, if this is none of them
     */
    public static ForwardedHeader of(String name) {
        for (ForwardedHeader header : values()) {
            if (header.field.equalsIgnoreCase(name)) {
                return header;
            }
        }
        throw new IllegalArgumentException("must be "
                + Arrays.stream(values()).map(header -> header.field).collect(Collectors.joining(" or ")) + ", not ["
                + name
                + "]");
    }

    /** The name of the field. */
    String field() {
        return field;
    }
}
