package dev.weir.telemetry;

import io.opentelemetry.api.common.AttributeKey;

/**
 * The attributes of spans: those of OpenTelemetry's conventions for HTTP, JSON-RPC, MCP and generative AI, and Weir's own.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/">Semantic conventions for MCP</a>
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/http/http-spans/">Semantic conventions for HTTP spans</a>
 */
final class Keys {

    static final AttributeKey<String> HTTP_METHOD = AttributeKey.stringKey("http.request.method");
    static final AttributeKey<Long> HTTP_RESENDS = AttributeKey.longKey("http.request.resend_count");
    static final AttributeKey<Long> HTTP_STATUS = AttributeKey.longKey("http.response.status_code");
    static final AttributeKey<String> HTTP_ROUTE = AttributeKey.stringKey("http.route");
    static final AttributeKey<String> URL_SCHEME = AttributeKey.stringKey("url.scheme");
    static final AttributeKey<String> URL_PATH = AttributeKey.stringKey("url.path");
    static final AttributeKey<String> URL_FULL = AttributeKey.stringKey("url.full");
    static final AttributeKey<String> CLIENT_ADDRESS = AttributeKey.stringKey("client.address");
    static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
    static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
    static final AttributeKey<String> USER_AGENT = AttributeKey.stringKey("user_agent.original");
    static final AttributeKey<String> PROTOCOL_VERSION = AttributeKey.stringKey("network.protocol.version");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    static final AttributeKey<String> JSONRPC_ID = AttributeKey.stringKey("jsonrpc.request.id");
    static final AttributeKey<String> RPC_STATUS = AttributeKey.stringKey("rpc.response.status_code");
    static final AttributeKey<String> MCP_METHOD = AttributeKey.stringKey("mcp.method.name");
    static final AttributeKey<String> MCP_VERSION = AttributeKey.stringKey("mcp.protocol.version");
    static final AttributeKey<String> TOOL = AttributeKey.stringKey("gen_ai.tool.name");
    static final AttributeKey<String> PROMPT = AttributeKey.stringKey("gen_ai.prompt.name");
    static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");

    static final AttributeKey<String> REQUEST_ID = AttributeKey.stringKey("weir.request_id");
    static final AttributeKey<String> ROUTE = AttributeKey.stringKey("weir.route");
    static final AttributeKey<String> DECISION = AttributeKey.stringKey("weir.decision");
    static final AttributeKey<String> LIMIT_LEVEL = AttributeKey.stringKey("weir.limit_level");
    static final AttributeKey<String> BAN_ID = AttributeKey.stringKey("weir.ban_id");
    static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("weir.outcome");

    private static final int MAX_TEXT = 256;

    private Keys() {}

    /** A text that somebody else has chosen, as much of it as is kept. */
    static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }
}
