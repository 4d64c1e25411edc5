package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every event is one fixed word, has no field that each line has anyway, and stands in the documents. */
class LogEventsTest {

    private static final Pattern EVENT = Pattern.compile("\\.log\\(\"([^\"]*)\"");
    private static final Pattern FREE_WORDS = Pattern.compile("(?i)\\blog\\.(trace|debug|info|warn|error)\\(");
    private static final Pattern COLLISION =
            Pattern.compile("addKeyValue\\(\\s*\"(time|level|event|logger|message|stack_trace)\"");

    private static List<String> sources() {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            return files.filter(Files::isRegularFile).map(LogEventsTest::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyEventIsAWordThatTheDocumentsExplain() {
        Set<String> events = new TreeSet<>();
        sources().forEach(source -> {
            Matcher matcher = EVENT.matcher(source);
            while (matcher.find()) {
                events.add(matcher.group(1));
            }
        });
        String documents = read(Path.of("docs/observability.md"));
        assertThat(events).hasSizeGreaterThan(30).allSatisfy(event -> {
            assertThat(event).matches("[a-z_]+");
            assertThat(documents).contains("`" + event + "`");
        });
    }

    @Test
    void noLineIsMadeOfFreeWordsNorHasAFieldTwice() {
        assertThat(sources()).allSatisfy(source -> {
            assertThat(FREE_WORDS.matcher(source).find()).isFalse();
            assertThat(COLLISION.matcher(source).find()).isFalse();
        });
    }
}
