package dev.weir.corpus;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One body with the header fields that come with it, and what becomes of them. */
public final class Entry {

    private static final String LABEL = "Content-Type: application/json";

    /** What becomes of a body. */
    public sealed interface Answer {}

    /**
     * It goes up, byte by byte, and is judged as this.
     *
     * @param kind request, notification or response
     * @param name what the method is applied to, in JSON
     * @param id   the token of the id
     * @param era  legacy or modern
     */
    public record Accepted(
            String kind,
            @Nullable String method,
            @Nullable String name,
            @Nullable String id,
            String era) implements Answer {}

    /** It is refused, and nothing goes up. */
    public record Refused(int status, int code) implements Answer {}

    private final String name;
    private final List<String> headers;
    private final byte[] body;
    private final Answer answer;

    private Entry(String name, List<String> headers, byte[] body, Answer answer) {
        this.name = name;
        this.headers = headers;
        this.body = body;
        this.answer = answer;
    }

    /** The family, and what is odd about this entry. */
    public String name() {
        return name;
    }

    /** Header fields as they are written, each character one byte. */
    public List<String> headers() {
        return headers;
    }

    public byte[] body() {
        return body.clone();
    }

    /** The one right answer. */
    public Answer answer() {
        return answer;
    }

    static Entry of(String family, List<Line> lines) {
        List<String> headers = new ArrayList<>(List.of(LABEL));
        byte[] body = new byte[0];
        String as = "UTF-8";
        for (Line line : lines) {
            switch (line.key()) {
                case "unlabelled" -> headers.remove(LABEL);
                case "head" -> headers.add(latin1(line.bytes(StandardCharsets.UTF_8)));
                case "as" -> as = line.text();
                case "body" -> body = line.bytes(Charset.forName(as));
                case "==", "case", "is", "method", "name", "id", "era" -> {}
                default -> throw new IllegalArgumentException(family + ": " + line);
            }
        }
        return new Entry(family + ": " + lines.get(0).text(), headers, body, answer(lines));
    }

    private static Answer answer(List<Line> lines) {
        String[] is = String.valueOf(find(lines, "is")).split(" ", -1);
        if (is.length == 2) {
            return new Refused(Integer.parseInt(is[0]), Integer.parseInt(is[1]));
        }
        if (!List.of("request", "notification", "response").contains(is[0])) {
            throw new IllegalArgumentException("no right answer: " + lines);
        }
        String era = find(lines, "era");
        String method = find(lines, "method");
        return new Accepted(
                is[0],
                method == null ? null : method.replace("\"", ""),
                find(lines, "name"),
                find(lines, "id"),
                era == null ? "legacy" : era);
    }

    private static @Nullable String find(List<Line> lines, String key) {
        return lines.stream()
                .filter(line -> line.key().equals(key))
                .map(Line::text)
                .findFirst()
                .orElse(null);
    }

    /** Every value of a header field, as a container hands it out. */
    public List<String> values(String name) {
        String start = name.toLowerCase(Locale.ROOT) + ":";
        return headers.stream()
                .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(start))
                .map(header -> header.substring(start.length()).replaceAll("^[ \t]+|[ \t]+$", ""))
                .toList();
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return name;
    }
}
