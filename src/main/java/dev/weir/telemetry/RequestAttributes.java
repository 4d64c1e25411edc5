package dev.weir.telemetry;

import dev.weir.mcp.McpMessage;
import dev.weir.mcp.RequestId;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanBuilder;
import org.jspecify.annotations.Nullable;

/** What is told of a request: no argument, no query, no credential, no header field but those that are named here. For one thread. */
final class RequestAttributes {

    private static final String HTTP = "HTTP/";

    private final AttributesBuilder attributes = Attributes.builder();

    private RequestAttributes() {}

    static RequestAttributes of(Arrival arrival, @Nullable String userAgent) {
        RequestAttributes all = new RequestAttributes();
        all.put(Keys.REQUEST_ID, arrival.requestId());
        all.put(Keys.HTTP_METHOD, SpanNames.method(arrival.method()));
        all.put(Keys.URL_SCHEME, arrival.scheme());
        all.put(Keys.URL_PATH, arrival.path());
        all.put(Keys.CLIENT_ADDRESS, arrival.address());
        all.put(Keys.USER_AGENT, userAgent);
        String protocol = arrival.protocol();
        if (protocol.startsWith(HTTP)) {
            String version = protocol.substring(HTTP.length());
            all.put(Keys.PROTOCOL_VERSION, version.equals("2.0") ? "2" : version);
        }
        return all;
    }

    /** @param version the protocol revision that it is of, as far as it says so */
    RequestAttributes of(@Nullable McpMessage message, @Nullable String version) {
        put(Keys.MCP_VERSION, version);
        if (message == null) {
            return this;
        }
        put(Keys.MCP_METHOD, message.method());
        put(Keys.JSONRPC_ID, id(message.id()));
        if (message.tool() != null) {
            put(Keys.TOOL, message.tool());
            put(Keys.OPERATION, "execute_tool");
        } else if ("prompts/get".equals(message.method())) {
            put(Keys.PROMPT, message.name());
        }
        return this;
    }

    RequestAttributes of(@Nullable String decision, @Nullable String route) {
        put(Keys.DECISION, decision);
        put(Keys.ROUTE, route);
        put(Keys.HTTP_ROUTE, route);
        return this;
    }

    SpanBuilder onto(SpanBuilder builder) {
        return builder.setAllAttributes(attributes.build());
    }

    private void put(AttributeKey<String> key, @Nullable String value) {
        if (value != null) {
            attributes.put(key, Keys.cut(value));
        }
    }

    /** The id without its quotes, if it has some. */
    private static @Nullable String id(@Nullable RequestId id) {
        if (id == null) {
            return null;
        }
        String json = id.json();
        return json.startsWith("\"") ? json.substring(1, json.length() - 1) : json;
    }
}
