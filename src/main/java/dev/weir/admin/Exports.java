package dev.weir.admin;

import dev.weir.ban.Place;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.io.IOException;
import java.io.Writer;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes all of a history as one file, and never has more than a few rows of it: it is read page by page, so that a slow reader
 * holds no transaction open and no connection. One for all histories, because there is room for few at once. Safe for use by many
 * threads.
 */
public final class Exports {

    static final Parameter FORMAT =
            Parameter.query("format", Schema.oneOf("csv", "jsonl"), "CSV, or JSON lines; csv if not said");

    /** How many rows are read at once. */
    static final int PAGE = 1_000;

    /** How many exports may be under way, because each has a thread for as long as its reader takes. */
    private static final int MOST_AT_ONCE = 3;

    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final InstantSource clock;
    private final Semaphore room = new Semaphore(MOST_AT_ONCE);

    /** @param clock the wall clock, for the names of files */
    public Exports(InstantSource clock) {
        this.clock = clock;
    }

    /** The parameters of an export with these filters. */
    static Parameter[] with(List<Parameter> filters) {
        List<Parameter> all = new ArrayList<>(filters);
        all.add(FORMAT);
        return all.toArray(Parameter[]::new);
    }

    /**
     * The file that is asked for.
     *
     * @param what    what it is of, in its name
     * @param columns the members of its rows, in their order
     */
    <T> Answer answer(Ask ask, String what, List<String> columns, Pages<T> pages, Pages.Reader<T> reader) {
        boolean csv = !"jsonl".equals(ask.text("format"));
        if (room.availablePermits() == 0) {
            throw busy();
        }
        // Before anything is written, so that a database that is away is told as such.
        List<T> first = reader.page(null, PAGE);
        String name = "weir-" + what + "-" + NAME.format(clock.instant()) + (csv ? ".csv" : ".jsonl");
        String type = csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson; charset=utf-8";
        return Answer.file(type, name, out -> {
            if (!room.tryAcquire()) {
                throw busy();
            }
            try {
                if (csv) {
                    Csv.line(out, columns);
                }
                write(out, csv, columns, pages, reader, first);
            } finally {
                room.release();
            }
        });
    }

    private static Problem busy() {
        return Problem.of(503, "busy", "Too many exports are under way; try again when one has ended.")
                .with("Retry-After", "10");
    }

    /** Writes the rows of a first page and of those after it. */
    static <T> void write(
            Writer out, boolean csv, List<String> columns, Pages<T> pages, Pages.Reader<T> reader, List<T> first)
            throws IOException {
        List<T> rows = first;
        while (!rows.isEmpty()) {
            for (T row : rows) {
                Map<String, @Nullable Object> members = pages.json().apply(row);
                if (csv) {
                    Csv.line(
                            out,
                            columns.stream()
                                    .map(members::get)
                                    .map(Exports::cell)
                                    .toList());
                } else {
                    Map<String, @Nullable Object> ordered = new LinkedHashMap<>();
                    columns.forEach(column -> ordered.put(column, members.get(column)));
                    out.append(JSON.writeValueAsString(ordered)).append('\n');
                }
            }
            Place last = pages.place().apply(rows.get(rows.size() - 1));
            rows = rows.size() < PAGE ? List.of() : reader.page(last, PAGE);
        }
    }

    /** Lists and objects as the JSON that they are. */
    private static Object cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        return value instanceof String || value instanceof Number || value instanceof Boolean
                ? value
                : JSON.writeValueAsString(value);
    }
}
