package dev.weir.rest;

import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What an operation answers. Not safe for use by many threads. */
public final class Answer {

    /** Writes a long answer piece by piece. */
    public interface Body {

        /** Writes all of it. */
        void to(Writer out) throws IOException;
    }

    private final int status;
    private final @Nullable Object json;
    private final @Nullable Body body;
    private final @Nullable Consumer<EventStream> events;
    private final String type;
    private final Map<String, String> headers = new LinkedHashMap<>();

    private Answer(
            int status,
            @Nullable Object json,
            @Nullable Body body,
            @Nullable Consumer<EventStream> events,
            String type) {
        this.status = status;
        this.json = json;
        this.body = body;
        this.events = events;
        this.type = type;
    }

    /** 200 with something that becomes JSON: a map, a list, a record or a tree. */
    public static Answer json(Object json) {
        return json(200, json);
    }

    /** The same with another status. */
    public static Answer json(int status, Object json) {
        return new Answer(status, json, null, null, "application/json");
    }

    /** 204. */
    public static Answer nothing() {
        return new Answer(204, null, null, null, "");
    }

    /** 200 with text that is written piece by piece, and may be kept as a file. */
    public static Answer file(String type, String name, Body body) {
        return new Answer(200, null, body, null, type)
                .with("Content-Disposition", "attachment; filename=\"" + name + "\"");
    }

    /** 200 with events, from now on until the stream is ended. */
    public static Answer events(Consumer<EventStream> reader) {
        return new Answer(200, null, null, reader, "text/event-stream");
    }

    /** Adds a header field. */
    public Answer with(String header, String value) {
        headers.put(header, value);
        return this;
    }

    int status() {
        return status;
    }

    @Nullable
    Object json() {
        return json;
    }

    @Nullable
    Body body() {
        return body;
    }

    @Nullable
    Consumer<EventStream> events() {
        return events;
    }

    String type() {
        return type;
    }

    Map<String, String> headers() {
        return headers;
    }
}
