package dev.weir.rest;

/**
 * Something that stands in the address of a request.
 *
 * @param name   its name in the query, or in the template of the path
 * @param inPath whether it stands in the path; it is always there then, and in the form of {@link Segment}
 * @param schema what it may be; numbers and flags are read from their text
 */
public record Parameter(String name, boolean inPath, Schema schema) {

    /** One that may stand in the query. */
    public static Parameter query(String name, Schema schema, String meaning) {
        return new Parameter(name, false, schema.meaning(meaning));
    }

    /** One that stands in the path. */
    public static Parameter path(String name, String meaning) {
        return new Parameter(name, true, Schema.text(2_048).meaning(meaning));
    }
}
