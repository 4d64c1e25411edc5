package dev.weir.rest;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * How a name stands in one segment of a path: as it is, where all of its characters are plain, and else as a tilde and the
 * base64url of its UTF-8 bytes. A slash that is written {@code %2F} is refused by containers, and names of routes begin with one.
 */
public final class Segment {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

    private Segment() {}

    /** The segment for a name. */
    public static String of(String name) {
        return PLAIN.matcher(name).matches()
                ? name
                : "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The name that a segment stands for.
     *
     * @throws Problem 404 if it stands for none
     */
    public static String name(String segment) throws Problem {
        if (!segment.startsWith("~")) {
            return segment;
        }
        try {
            return new String(Base64.getUrlDecoder().decode(segment.substring(1)), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Problem.notFound("name in the form [" + segment + "]: a tilde is followed by base64url");
        }
    }
}
