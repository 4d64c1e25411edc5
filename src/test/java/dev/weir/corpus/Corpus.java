package dev.weir.corpus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Bodies and header fields with the one right answer to each, read from {@code src/test/resources/corpus}; see its README. */
public final class Corpus {

    /** The files whose entries try to be read in two ways. */
    private static final List<String> HOSTILE = List.of(
            "batches",
            "blanks-and-tails",
            "codings",
            "depth-and-size",
            "duplicates",
            "encodings",
            "escapes",
            "era-mixes",
            "ids",
            "json-dialects",
            "labels",
            "lookalikes",
            "members",
            "mirrored-headers",
            "names");

    /** The files whose entries are what official clients send. */
    private static final List<String> CLIENTS = List.of("clients-legacy", "clients-modern");

    private static final String SMUGGLING = "smuggling";

    private Corpus() {}

    /** What tries to be read in two ways; some of it may be read in one only, and is accepted. */
    public static Stream<Entry> hostile() {
        return HOSTILE.stream().flatMap(Corpus::entries);
    }

    /** What official clients send. */
    public static Stream<Entry> clients() {
        return CLIENTS.stream().flatMap(Corpus::entries);
    }

    public static Stream<Entry> all() {
        return Stream.concat(hostile(), clients());
    }

    /** Whole requests whose ends are in dispute. */
    public static Stream<RawRequest> smuggling() {
        return blocks(SMUGGLING).map(RawRequest::of);
    }

    private static Stream<Entry> entries(String family) {
        return blocks(family).map(lines -> Entry.of(family, lines));
    }

    private static Stream<List<Line>> blocks(String family) {
        List<List<Line>> blocks = new ArrayList<>();
        for (String text : text(family).split("\n", -1)) {
            if (text.startsWith("== ")) {
                blocks.add(new ArrayList<>());
            }
            if (!text.isBlank() && !text.startsWith("#")) {
                blocks.get(blocks.size() - 1).add(Line.of(text));
            }
        }
        return blocks.stream();
    }

    private static String text(String family) {
        String name = "/corpus/" + family + ".txt";
        try (InputStream in = Objects.requireNonNull(Corpus.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
