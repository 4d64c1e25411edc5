package dev.weir.run.storm;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a storm is to do. It is usable, or it is not made.
 *
 * @param url     the MCP endpoint, http or https
 * @param key     the API key in visible ASCII, or null to call without one
 * @param call    the call to repeat
 * @param rate    calls per second, from 1 to 10,000
 * @param seconds how long to go on calling, from 1 to 600
 */
record Plan(URI url, @Nullable String key, CallToolRequest call, int rate, int seconds) {

    private static final TypeRef<Map<String, Object>> OBJECT = new TypeRef<>() {};

    Plan {
        if (rate < 1 || rate > 10_000) {
            throw new IllegalArgumentException("--rate must be from 1 to 10000, not " + rate);
        }
        if (seconds < 1 || seconds > 600) {
            throw new IllegalArgumentException("--seconds must be from 1 to 600, not " + seconds);
        }
        if (key != null && !key.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("the API key must be visible ASCII without spaces");
        }
    }

    /**
     * A plan from the words of the command line.
     *
     * @param key       the key; null or empty for none
     * @param arguments the tool's arguments as JSON, or null for those that go with the tool
     * @throws IllegalArgumentException if a word is unusable; the message names the option and the value, but never the key
     */
    static Plan of(String url, @Nullable String key, String tool, @Nullable String arguments, int rate, int seconds) {
        String json = arguments != null ? arguments : usual(tool);
        CallToolRequest call =
                CallToolRequest.builder(tool).arguments(object(json)).build();
        return new Plan(endpoint(url), key == null || key.isEmpty() ? null : key, call, rate, seconds);
    }

    /** How many calls make up the storm. */
    long calls() {
        return (long) rate * seconds;
    }

    private static String usual(String tool) {
        return tool.equals("inspect_table_schema") ? "{\"table\":\"CUSTOMER\"}" : "{}";
    }

    private static URI endpoint(String url) {
        try {
            URI uri = new URI(url);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (http && uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("--url is not a URL: " + url, e);
        }
        throw new IllegalArgumentException("--url must be an http or https URL with a host, not " + url);
    }

    private static Map<String, Object> object(String json) {
        try {
            @Nullable Map<String, Object> object = McpJsonDefaults.getMapper().readValue(json, OBJECT);
            if (object != null) {
                return object;
            }
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("--arguments must be a JSON object, not " + json, e);
        }
        throw new IllegalArgumentException("--arguments must be a JSON object, not " + json);
    }
}
