package dev.weir.rest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why an operation is refused, for people and for programs. Thrown anywhere in an operation, and written as the answer.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457: problem details</a>
 */
public final class Problem extends RuntimeException {

    /**
     * What is wrong with one value that was sent.
     *
     * @param field where it stands: the name of a member or parameter, or names joined by dots
     * @param value what was sent, as text; null if nothing was
     * @param rule  what it breaks, as a sentence that begins after the field's name
     */
    public record Fault(String field, @Nullable String value, String rule) {}

    private static final Map<Integer, String> TITLES = Map.ofEntries(
            Map.entry(400, "Bad request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not found"),
            Map.entry(405, "Method not allowed"),
            Map.entry(409, "Conflict"),
            Map.entry(412, "Changed meanwhile"),
            Map.entry(413, "Too large"),
            Map.entry(415, "Unsupported media type"),
            Map.entry(422, "Not usable as it stands"),
            Map.entry(428, "If-Match needed"),
            Map.entry(429, "Too many attempts"),
            Map.entry(500, "Weir failed"),
            Map.entry(503, "Not possible now"));

    private final int status;
    private final String code;
    private final transient List<Fault> faults;
    private final transient Map<String, String> headers = new LinkedHashMap<>();

    private Problem(int status, String code, String detail, List<Fault> faults) {
        super(detail, null, false, false);
        this.status = status;
        this.code = code;
        this.faults = List.copyOf(faults);
    }

    /**
     * A problem.
     *
     * @param code   one short word for programs, such as {@code not_found}
     * @param detail one or two sentences for people, without secrets
     */
    public static Problem of(int status, String code, String detail) {
        return new Problem(status, code, detail, List.of());
    }

    /** Something is wrong with the values that were sent. */
    public static Problem faulty(int status, String code, List<Fault> faults) {
        StringBuilder detail = new StringBuilder();
        for (Fault fault : faults) {
            detail.append(detail.length() == 0 ? "" : "; ").append(fault.field());
            if (fault.value() != null) {
                detail.append(" [").append(fault.value()).append(']');
            }
            detail.append(' ').append(fault.rule());
        }
        return new Problem(status, code, detail.toString(), faults);
    }

    /** One value that was sent is not usable. */
    public static Problem faulty(String field, @Nullable String value, String rule) {
        return faulty(422, "not_valid", List.of(new Fault(field, value, rule)));
    }

    /** There is no such thing. */
    public static Problem notFound(String what) {
        return of(404, "not_found", "There is no " + what + ".");
    }

    /** Adds a header field to the answer. */
    public Problem with(String header, String value) {
        headers.put(header, value);
        return this;
    }

    /** The status of the answer. */
    public int status() {
        return status;
    }

    /** What is wrong, value by value; empty if no value is to blame. */
    public List<Fault> faults() {
        return faults;
    }

    Map<String, String> headers() {
        return headers;
    }

    /** The members of the answer. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", "about:blank");
        members.put("title", TITLES.getOrDefault(status, "Problem"));
        members.put("status", status);
        members.put("code", code);
        members.put("detail", String.valueOf(getMessage()));
        if (!faults.isEmpty()) {
            members.put("errors", faults);
        }
        return members;
    }
}
