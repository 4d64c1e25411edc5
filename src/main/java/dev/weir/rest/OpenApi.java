package dev.weir.rest;

import dev.weir.auth.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Describes operations, so that tools and people can use them without asking us.
 *
 * @see <a href="https://spec.openapis.org/oas/v3.1.1">OpenAPI 3.1</a>
 */
public final class OpenApi {

    private static final String PROBLEM = "#/components/schemas/Problem";

    private OpenApi() {}

    /**
     * The description of some operations.
     *
     * @param server the address that their paths are below
     */
    public static Map<String, Object> describe(String title, String version, String server, Operations operations) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.0");
        document.put("info", Map.of("title", title, "version", version));
        document.put("servers", List.of(Map.of("url", server)));
        Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
        for (Operation operation : operations.all()) {
            paths.computeIfAbsent(operation.path(), path -> new LinkedHashMap<>())
                    .put(operation.method().toLowerCase(Locale.ROOT), describe(operation));
        }
        document.put("paths", paths);
        document.put(
                "components",
                Map.of(
                        "schemas",
                        Map.of("Problem", problem().members()),
                        "securitySchemes",
                        Map.of(
                                "token",
                                Map.of("type", "http", "scheme", "bearer"),
                                "session",
                                Map.of("type", "apiKey", "in", "cookie", "name", "weir_admin"))));
        document.put("security", List.of(Map.of("token", List.of()), Map.of("session", List.of())));
        return document;
    }

    private static Map<String, Object> describe(Operation operation) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("operationId", operation.id());
        described.put("summary", operation.summary());
        described.put("x-role", role(operation.role()));
        List<Object> parameters = new ArrayList<>();
        for (Parameter parameter : operation.parameters()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", parameter.name());
            one.put("in", parameter.inPath() ? "path" : "query");
            one.put("required", parameter.inPath());
            one.put("schema", parameter.schema().members());
            parameters.add(one);
        }
        if (!parameters.isEmpty()) {
            described.put("parameters", parameters);
        }
        Schema body = operation.body();
        if (body != null) {
            described.put("requestBody", Map.of("required", true, "content", content("application/json", body)));
        }
        described.put("responses", responses(operation));
        return described;
    }

    private static Map<String, Object> responses(Operation operation) {
        Map<String, Object> responses = new LinkedHashMap<>();
        Schema answers = operation.answers();
        String good = operation.method().equals("POST") && answers != null ? "2XX" : answers == null ? "2XX" : "200";
        Map<String, Object> success = new LinkedHashMap<>();
        success.put("description", "Done.");
        if (answers != null) {
            success.put("content", content("application/json", answers));
        }
        responses.put(good, success);
        responses.put(
                "default",
                Map.of(
                        "description",
                        "It is refused, for the reason that is given.",
                        "content",
                        Map.of("application/problem+json", Map.of("schema", Map.of("$ref", PROBLEM)))));
        return responses;
    }

    private static Map<String, Object> content(String type, Schema schema) {
        return Map.of(type, Map.of("schema", schema.members()));
    }

    private static Schema problem() {
        Schema fault = Schema.of("Fault")
                .member("field", Schema.text(1_000).meaning("where the value stands"))
                .member("value", Schema.text(1_000).orNull().meaning("what was sent"))
                .member("rule", Schema.text(1_000).meaning("what it breaks"));
        return Schema.of("Problem")
                .member("type", Schema.text(1_000))
                .member("title", Schema.text(1_000))
                .member("status", Schema.whole(400, 599))
                .member("code", Schema.text(100).meaning("one word for programs"))
                .member("detail", Schema.text(10_000).meaning("for people"))
                .maybe("errors", Schema.list(fault));
    }

    private static String role(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }
}
