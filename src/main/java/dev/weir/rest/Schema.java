package dev.weir.rest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a JSON value may be: a JSON Schema, put together piece by piece. Immutable: each step makes another one.
 *
 * @see <a href="https://json-schema.org/draft/2020-12/json-schema-validation">JSON Schema 2020-12</a>
 */
public record Schema(Map<String, Object> members) {

    /** What text has in it that is not only blanks. */
    static final String NOT_BLANK = "\\S";

    /** Keeps the members in their order. */
    public Schema {
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /** Any value at all. */
    public static Schema any() {
        return new Schema(Map.of());
    }

    /** Text of at most so many characters. */
    public static Schema text(int longest) {
        return type("string").with("maxLength", longest);
    }

    /** Text that is not only blanks, of at most so many characters. */
    public static Schema words(int longest) {
        return text(longest).with("pattern", NOT_BLANK);
    }

    /** An instant, as RFC 3339 writes it. */
    public static Schema time() {
        return type("string").with("format", "date-time");
    }

    /** One of some words. */
    public static Schema oneOf(String... words) {
        return type("string").with("enum", List.of(words));
    }

    /** A whole number. */
    public static Schema whole(long least, long most) {
        return type("integer").with("minimum", least).with("maximum", most);
    }

    /** A number. */
    public static Schema number() {
        return type("number");
    }

    /** True or false. */
    public static Schema flag() {
        return type("boolean");
    }

    /** A list. */
    public static Schema list(Schema of) {
        return type("array").with("items", of.members());
    }

    /** An object of any members. */
    public static Schema object() {
        return type("object");
    }

    /** An object of these members and no others; to be gone on with by {@link #member}. */
    public static Schema of(String title) {
        return type("object")
                .with("title", title)
                .with("properties", Map.of())
                .with("required", List.of())
                .with("additionalProperties", false);
    }

    /** Adds a member that is always there. */
    public Schema member(String name, Schema schema) {
        @SuppressWarnings("unchecked")
        List<String> required = new ArrayList<>((List<String>) members.getOrDefault("required", List.of()));
        required.add(name);
        return maybe(name, schema).with("required", required);
    }

    /** Adds a member that may be left out. */
    public Schema maybe(String name, Schema schema) {
        @SuppressWarnings("unchecked")
        Map<String, Object> properties =
                new LinkedHashMap<>((Map<String, Object>) members.getOrDefault("properties", Map.of()));
        properties.put(name, schema.members());
        return with("properties", properties);
    }

    /** The same, or null. */
    public Schema orNull() {
        Object type = members.get("type");
        Schema wider = type instanceof String one ? with("type", List.of(one, "null")) : this;
        if (members.get("enum") instanceof List<?> words) {
            List<Object> all = new ArrayList<>(words);
            all.add(null);
            wider = wider.with("enum", all);
        }
        return wider;
    }

    /** Adds what it means, for people. */
    public Schema meaning(String description) {
        return with("description", description);
    }

    /** Adds any member of JSON Schema. */
    public Schema with(String keyword, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(keyword, value);
        return new Schema(more);
    }

    private static Schema type(String... types) {
        return new Schema(Map.of("type", types.length == 1 ? types[0] : Arrays.asList(types)));
    }
}
