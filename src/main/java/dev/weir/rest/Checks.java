package dev.weir.rest;

import com.networknt.schema.Error;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Checks what was sent by the schemas that the description shows. Safe for use by many threads. */
final class Checks {

    /** The most characters of a value that an answer repeats. */
    private static final int MOST_SHOWN = 100;

    private static final Map<String, String> TYPES = Map.of(
            "string", "text",
            "integer", "a whole number",
            "number", "a number",
            "boolean", "true or false",
            "array", "a list",
            "object", "an object");

    static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .build();

    private final SchemaRegistry registry = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemaRegistryConfig(com.networknt.schema.SchemaRegistryConfig.builder()
                    .formatAssertionsEnabled(true)
                    .build()));

    private final Map<Schema, com.networknt.schema.Schema> compiled = new ConcurrentHashMap<>();

    /**
     * The object that a body is.
     *
     * @throws Problem 400 if it is none, 422 if it is not as it has to be
     */
    ObjectNode body(byte[] body, Schema schema) throws Problem {
        JsonNode tree;
        try {
            tree = JSON.readTree(body);
        } catch (JacksonException e) {
            throw Problem.of(400, "not_json", "The body is not JSON: " + e.getOriginalMessage());
        }
        if (!(tree instanceof ObjectNode object)) {
            throw Problem.of(400, "not_an_object", "The body has to be one JSON object.");
        }
        List<Problem.Fault> faults = faults(object, schema, "");
        if (!faults.isEmpty()) {
            throw Problem.faulty(422, "not_valid", faults);
        }
        return object;
    }

    /**
     * The parameters of a query, each as the type that it has.
     *
     * @throws Problem 400 if one is not as it has to be, stands there twice, or does not exist
     */
    Map<String, JsonNode> query(Map<String, String[]> sent, List<Parameter> parameters) throws Problem {
        Map<String, JsonNode> query = new LinkedHashMap<>();
        List<Problem.Fault> faults = new ArrayList<>();
        sent.forEach((name, values) -> {
            Parameter parameter = parameters.stream()
                    .filter(one -> !one.inPath() && one.name().equals(name))
                    .findFirst()
                    .orElse(null);
            if (parameter == null) {
                faults.add(new Problem.Fault(shown(name), null, "is no parameter of this operation"));
            } else if (values.length != 1) {
                faults.add(new Problem.Fault(name, null, "must not stand there more than once"));
            } else if (!values[0].isEmpty()) {
                JsonNode value = typed(values[0], parameter.schema());
                faults.addAll(faults(value, parameter.schema(), name));
                query.put(name, value);
            }
        });
        if (!faults.isEmpty()) {
            throw Problem.faulty(400, "not_valid", faults);
        }
        return query;
    }

    private static JsonNode typed(String text, Schema schema) {
        Object type = schema.members().get("type");
        if ("boolean".equals(type) && (text.equals("true") || text.equals("false"))) {
            return BooleanNode.valueOf(text.equals("true"));
        }
        if (("integer".equals(type) || "number".equals(type)) && text.matches("-?[0-9]{1,18}(\\.[0-9]{1,9})?")) {
            return JSON.readTree(text.replaceFirst("^(-?)0+(?=[0-9])", "$1"));
        }
        return StringNode.valueOf(text);
    }

    private List<Problem.Fault> faults(JsonNode value, Schema schema, String name) {
        com.networknt.schema.Schema checker =
                compiled.computeIfAbsent(schema, one -> registry.getSchema(JSON.<JsonNode>valueToTree(one.members())));
        return checker.validate(value).stream().map(error -> fault(error, name)).toList();
    }

    private static Problem.Fault fault(Error error, String name) {
        List<String> steps = new ArrayList<>();
        if (!name.isEmpty()) {
            steps.add(name);
        }
        for (int i = 0; i < error.getInstanceLocation().getNameCount(); i++) {
            steps.add(String.valueOf(error.getInstanceLocation().getElement(i)));
        }
        JsonNode value = error.getInstanceNode();
        if (error.getProperty() != null) {
            steps.add(error.getProperty());
            value = null;
        }
        return new Problem.Fault(shown(String.join(".", steps)), shown(value), rule(error));
    }

    private static String rule(Error error) {
        JsonNode wanted = error.getSchemaNode();
        return switch (String.valueOf(error.getKeyword())) {
            case "required" -> "is missing";
            case "additionalProperties" -> "is not known here";
            case "type" -> "must be " + types(wanted);
            case "enum" -> "must be one of " + words(wanted);
            case "minimum" -> "must be at least " + wanted;
            case "exclusiveMinimum" -> "must be above " + wanted;
            case "maximum" -> "must be at most " + wanted;
            case "maxLength" -> "must have at most " + wanted + " characters";
            case "minLength" -> "must have at least " + wanted + " characters";
            case "format" -> "must be an instant such as 2026-12-01T06:30:00Z";
            case "pattern" ->
                wanted.asString().equals(Schema.NOT_BLANK) ? "must not be blank" : "must match " + wanted.asString();
            default -> error.getMessage().replaceFirst("^.*?: ", "");
        };
    }

    private static String words(JsonNode all) {
        List<String> words = new ArrayList<>();
        all.forEach(word -> words.add(word.isNull() ? "null" : word.asString()));
        return String.join(", ", words);
    }

    private static String types(JsonNode wanted) {
        List<String> types = new ArrayList<>();
        (wanted.isArray() ? wanted : JSON.createArrayNode().add(wanted))
                .forEach(type -> types.add(TYPES.getOrDefault(type.asString(), type.asString())));
        return String.join(" or ", types);
    }

    private static @Nullable String shown(@Nullable JsonNode value) {
        return value == null ? null : shown(value.isString() ? value.asString() : value.toString());
    }

    private static String shown(String text) {
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN - 1) + "…";
    }
}
