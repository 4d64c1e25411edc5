package dev.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ban.Place;
import java.io.Writer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExportsTest {

    private static final long ROWS = 30_500;
    private static final Pages<Long> PAGES =
            new Pages<>(row -> new Place(Instant.EPOCH, "" + row), row -> Map.of("id", row));

    private long read;
    private long written;
    private long mostHeld;

    /** Rows from a number down to 1. */
    private List<Long> page(@Nullable Place after, int most) {
        long from = after == null ? ROWS : Long.parseLong(after.id()) - 1;
        List<Long> rows = LongStream.iterate(from, row -> row > Math.max(0, from - most), row -> row - 1)
                .boxed()
                .toList();
        read += rows.size();
        return rows;
    }

    private final Writer out = new Writer() {
        @Override
        public void write(char[] text, int from, int length) {
            for (int i = from; i < from + length; i++) {
                if (text[i] == '\n') {
                    written++;
                    mostHeld = Math.max(mostHeld, read - written + 1);
                }
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @Test
    void allRowsAreWrittenAndFewAreHeld() throws Exception {
        for (boolean csv : new boolean[] {true, false}) {
            read = 0;
            written = 0;
            Exports.write(out, csv, List.of("id"), PAGES, this::page, page(null, Exports.PAGE));
            assertThat(written).isEqualTo(ROWS);
            assertThat(read).isEqualTo(ROWS);
        }
        assertThat(mostHeld).isEqualTo(Exports.PAGE);
    }
}
