package dev.weir.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.corpus.Corpus;
import dev.weir.corpus.Entry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever bytes are sent: what Weir judged is what every other parser would execute, or it was refused. Starts from the corpus.
 *
 * <p>The build runs this class by itself, with {@code JAZZER_FUZZ=1}: first the corpus is gone through, then Jazzer makes up bodies
 * out of it, from the same seed each time. For a longer hunt see {@code docs/protocol.md}.
 */
class ReadingFuzzTest {

    private static final McpReader READER = new McpReader();

    /** Longer bodies make the hunt slow and find nothing that shorter ones do not. */
    private static final int LONGEST_SEED = 2_000;

    static Stream<byte[]> seeds() {
        return Corpus.all().map(Entry::body).filter(body -> body.length <= LONGEST_SEED);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s", maxExecutions = 100_000)
    void whatIsAcceptedIsReadAlikeByEveryParser(byte[] body) {
        List<McpMessage> judged = accepted(READER.read(body));
        if (judged.isEmpty()) {
            return;
        }
        List<OtherParsers.Call> expected = judged.stream()
                .map(message -> new OtherParsers.Call(
                        message.kind(), message.method(), message.name(), OtherParsers.number(message.id())))
                .toList();
        OtherParsers.all()
                .forEach((name, parser) -> assertThat(parser.read(body))
                        .as(() -> name + " of " + new String(body, StandardCharsets.UTF_8))
                        .isEqualTo(expected));
    }

    private static List<McpMessage> accepted(Reading reading) {
        if (reading instanceof Reading.Batch batch) {
            return batch.messages();
        }
        return reading instanceof Reading.Read read ? List.of(read.message()) : List.of();
    }
}
