package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.whole.RefusalCell.Form;
import dev.weir.whole.RefusalTask.Outcome;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the callers of the official clients get for each refusal in each form, and that their next call works: the table of
 * {@code docs/clients.md}, run.
 */
@Timeout(180)
class RefusalMatrixIT {

    /**
     * What a caller gets, and the class of what is thrown.
     *
     * <ul>
     *   <li>{@code result}: a tool's result, which hosts show to their model: the words, and the details in its {@code _meta};
     *   <li>{@code error}: an exception with the words, the code and the details;
     *   <li>{@code body}: an exception whose message has the whole answer in it, as raw JSON;
     *   <li>{@code lost}: an exception that says nothing of the answer but, perhaps, its status.
     * </ul>
     */
    private static final String TABLE = """
            client        | auto                | jsonrpc_error       | tool_result | http_429, as 429           | http_429, as 403
            JAVA_2        | error McpError      | error McpError      | result      | body McpTransportException | lost McpHttpClientTransportAuthorizationException
            JAVA_2_MODERN | result              | error McpException  | result      | error McpException         | body McpHttpStatusException
            JAVA_1        | error McpError      | error McpError      | result      | lost McpTransportException | lost McpHttpClientTransportAuthorizationException
            TS_1          | error McpError      | error McpError      | result      | body StreamableHTTPError   | body StreamableHTTPError
            TS_2          | error ProtocolError | error ProtocolError | result      | body SdkHttpError          | body SdkHttpError
            TS_2_MODERN   | result              | error ProtocolError | result      | body SdkHttpError          | body SdkHttpError
            """;

    @TempDir
    static Path directory;

    private static Map<String, RefusalRun.Seen> seen = Map.of();

    @BeforeAll
    static void sendEveryClientThroughOneWeir() throws Exception {
        seen = RefusalRun.run(directory);
    }

    static Stream<RefusalCell> cells() {
        return RefusalCell.all().filter(cell -> !asksOnlyForWhatIsListed(cell));
    }

    static Stream<RefusalCell> cellsOfWhatIsNotAskedFor() {
        return RefusalCell.all().filter(RefusalMatrixIT::asksOnlyForWhatIsListed);
    }

    /** What is forbidden is not listed, and this client looks a tool up before it calls it. */
    private static boolean asksOnlyForWhatIsListed(RefusalCell cell) {
        return cell.client() == RefusalCell.Client.JAVA_2_MODERN && cell.refusal() == RefusalCell.Refusal.FORBIDDEN;
    }

    @ParameterizedTest
    @MethodSource("cellsOfWhatIsNotAskedFor")
    void aClientThatKnowsWhatIsListedTellsItsAgentByItselfAndGoesOn(RefusalCell cell) {
        RefusalRun.Seen all = seen.get(cell.id());

        assertThat(all.done().refused().as()).isEqualTo("IllegalArgumentException");
        assertThat(all.done().refused().text()).startsWith("Tool 'export_report' isn't listed by the server");
        assertThat(all.done().listed()).contains("echo", "get_time").doesNotContain("export_report");
        assertThat(all.done().next().isError()).as("the next call: %s", all).isFalse();
        assertThat(all.toolCalls())
                .as("all but the one that it did not send: %s", all)
                .isEqualTo(all.done().calls() - 1);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void tellsTheCallerInItsOwnWayAndTheNextCallWorks(RefusalCell cell) {
        assumeTrue(!cell.client().needsNode() || RefusalRun.nodeRan(seen), "without Node.js no TypeScript client");
        RefusalRun.Seen all = seen.get(cell.id());

        assertTold(cell, all.done().refused());
        assertThat(all.done().listed())
                .as("the tools that are listed right after it")
                .contains("echo", "get_time");
        assertThat(all.done().next().isError()).as("the next call: %s", all).isFalse();
        assertThat(all.handshakes()).as("handshakes: %s", all).isEqualTo(1);
        assertThat(all.toolCalls())
                .as("calls that were sent, repeats by the client included: %s", all)
                .isEqualTo(all.done().calls());
        assertThat(all.streams()).as("streams opened: %s", all).isLessThanOrEqualTo(1);
    }

    private static void assertTold(RefusalCell cell, Outcome told) {
        String[] expected = expected(cell).split(" ", -1);
        RefusalCell.Refusal refusal = cell.refusal();
        String words = "(?s).*" + refusal.words + ".*";
        String code = Integer.toString(cell.code());
        String all = told.code() + " " + told.text() + " " + told.data();

        assertThat(told.as()).as("%s", told).isEqualTo(expected[expected.length - 1]);
        switch (expected[0]) {
            case "result" -> {
                assertThat(told.isError()).isTrue();
                assertThat(told.text()).matches(refusal.words);
                assertThat(told.data()).containsEntry("dev.weir/reason", refusal.reason);
            }
            case "error" -> {
                assertThat(told.code()).isEqualTo(code);
                assertThat(told.text()).matches(words);
                assertThat(told.data()).containsEntry("reason", refusal.reason);
            }
            case "body" -> {
                assertThat(all).contains(Integer.toString(refusal.status));
                assertThat(told.text()).matches(words).contains("\"code\":" + code, "\"reason\":\"" + refusal.reason);
            }
            case "lost" -> assertThat(all).doesNotMatch(words).doesNotContain(code, refusal.reason);
            default -> throw new AssertionError("the table says " + expected[0]);
        }
    }

    /** The cell of the table. With {@code http_429} a throttle has another status than the rest, and clients mind that. */
    private static String expected(RefusalCell cell) {
        String column = cell.form().setting() + (cell.form() == Form.HTTP_429 ? ", as " + cell.refusal().status : "");
        List<List<String>> rows = TABLE.lines()
                .map(line ->
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
                .toList();
        return rows.stream()
                .filter(row -> row.get(0).equals(cell.client().name()))
                .findFirst()
                .orElseThrow()
                .get(rows.get(0).indexOf(column));
    }
}
