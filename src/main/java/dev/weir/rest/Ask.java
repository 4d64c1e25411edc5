package dev.weir.rest;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is asked of an operation: checked against its description before the operation sees it. Immutable. */
public final class Ask {

    private final Operator operator;
    private final Map<String, String> path;
    private final Map<String, JsonNode> query;
    private final @Nullable ObjectNode body;
    private final HttpServletRequest request;

    Ask(
            Operator operator,
            Map<String, String> path,
            Map<String, JsonNode> query,
            @Nullable ObjectNode body,
            HttpServletRequest request) {
        this.operator = operator;
        this.path = Map.copyOf(path);
        this.query = Map.copyOf(query);
        this.body = body;
        this.request = request;
    }

    /** Who asks. */
    public Operator operator() {
        return operator;
    }

    /** A parameter of the path, as the name that it stands for. */
    public String path(String name) {
        return Objects.requireNonNull(path.get(name), name);
    }

    /** A parameter of the query as text; null if it was not sent. */
    public @Nullable String text(String name) {
        JsonNode value = query.get(name);
        return value == null ? null : value.asString();
    }

    /** A parameter of the query that is a whole number. */
    public long whole(String name, long standard) {
        JsonNode value = query.get(name);
        return value == null ? standard : value.asLong();
    }

    /** A parameter of the query that is an instant; null if it was not sent. */
    public @Nullable Instant time(String name) {
        JsonNode value = query.get(name);
        return value == null ? null : OffsetDateTime.parse(value.asString()).toInstant();
    }

    /** The body, of an operation that has one. */
    public ObjectNode body() {
        return Objects.requireNonNull(body, "this operation has no body");
    }

    /** A header field; null if it was not sent. */
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    /** The request itself, for what is asked of it as a whole; its body has been read. */
    public HttpServletRequest request() {
        return request;
    }
}
