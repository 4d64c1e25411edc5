package dev.weir.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.corpus.Corpus;
import dev.weir.corpus.Entry;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Every entry of the corpus has its one right answer. Cases O01 to O12 stand beside the entries. */
class CorpusTest {

    private static final JsonMapper JSON = new JsonMapper();

    private final McpReader reader = new McpReader();

    static Stream<Entry> entries() {
        // How large a body may be is the business of whoever collects it.
        return Corpus.all()
                .filter(entry -> !(entry.answer() instanceof Entry.Refused refused && refused.status() == 413));
    }

    private Reading read(Entry entry) {
        Reading refusal = McpHeaders.refusal(entry.values("Content-Type"), entry.values("Content-Encoding"));
        Reading reading = refusal == null ? reader.read(entry.body()) : refusal;
        if (reading instanceof Reading.Batch) {
            // As a route takes it that says nothing of batches.
            return Objects.requireNonNull(McpHeaders.batchRefusal(false, entry.values("MCP-Protocol-Version")));
        }
        return reading instanceof Reading.Read read ? MirroredHeaders.checked(read, entry::values) : reading;
    }

    @ParameterizedTest
    @MethodSource("entries")
    void isReadInOneWayOrRefused(Entry entry) {
        Reading reading = read(entry);
        if (entry.answer() instanceof Entry.Refused refused) {
            assertThat(reading).isInstanceOf(Reading.Unreadable.class);
            Reading.Unreadable unreadable = (Reading.Unreadable) reading;
            assertThat(unreadable.status()).isEqualTo(refused.status());
            assertThat(unreadable.code()).isEqualTo(refused.code());
            assertThat(unreadable.reason()).isNotBlank().hasSizeLessThan(200);
        } else if (entry.answer() instanceof Entry.Accepted accepted) {
            assertThat(reading).isInstanceOf(Reading.Read.class);
            McpMessage message = ((Reading.Read) reading).message();
            assertThat(message.kind().name()).isEqualTo(accepted.kind().toUpperCase(Locale.ROOT));
            assertThat(message.method()).isEqualTo(accepted.method());
            assertThat(message.name()).isEqualTo(text(accepted.name()));
            assertThat(message.id()).isEqualTo(accepted.id() == null ? null : new RequestId(accepted.id()));
            assertThat(message.era().name()).isEqualTo(accepted.era().toUpperCase(Locale.ROOT));
        }
    }

    private static @Nullable String text(@Nullable String json) {
        return json == null ? null : JSON.readTree(json).asString();
    }

    @Test
    void nothingThatAnOfficialClientSendsIsRefused() {
        assertThat(Corpus.clients()).hasSizeGreaterThan(60).allSatisfy(entry -> {
            assertThat(entry.answer()).isInstanceOf(Entry.Accepted.class);
        });
    }

    @Test
    void everyEntryHasANameOfItsOwn() {
        assertThat(Corpus.hostile()).hasSizeGreaterThan(400);
        assertThat(Corpus.all().map(Entry::name)).doesNotHaveDuplicates();
    }
}
