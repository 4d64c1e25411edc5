package dev.weir.web;

import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Gives each HTTP request the id under which it is logged, answered and forwarded. Safe for use by many threads. */
public final class RequestIds {

    /** Nothing that could forge a line of a log or a field of an answer. */
    private static final Pattern SANE = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    private final Supplier<String> maker;

    /** @param maker makes ids, each different from all others */
    public RequestIds(Supplier<String> maker) {
        this.maker = maker;
    }

    /** The id that a client has given, if it is sane; else one of our own. */
    String of(@Nullable String given) {
        return given != null && SANE.matcher(given).matches() ? given : maker.get();
    }
}
