package dev.weir.run.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemoServerTest {

    private static DemoServer server;

    private final List<ProgressNotification> progress = new CopyOnWriteArrayList<>();
    private McpSyncClient client;

    @BeforeAll
    static void startServer() throws Exception {
        server = DemoServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = connect(server.url(), progress);
    }

    @AfterEach
    void disconnect() {
        client.closeGracefully();
    }

    @Test
    void listsItsToolsWithTheArgumentsThatEachTakes() {
        assertThat(client.listTools().tools())
                .allSatisfy(tool -> assertThat(tool.description()).isNotBlank())
                .extracting(Tool::name)
                .containsExactlyInAnyOrder("echo", "get_time", "inspect_table_schema", "export_report");
        assertThat(client.listTools().tools())
                .filteredOn(tool -> tool.name().equals("inspect_table_schema"))
                .singleElement()
                .satisfies(tool -> assertThat(tool.inputSchema())
                        .containsEntry("type", "object")
                        .containsEntry("required", List.of("table")));
    }

    @Test
    void echoSaysBackTheTextAsItCame() {
        assertThat(answer("echo", Map.of("text", "日本 \"quoted\"\nline"))).isEqualTo("日本 \"quoted\"\nline");
    }

    @Test
    void aMissingArgumentIsTheToolsOwnErrorAndNamesIt() {
        assertThat(refusal("echo", Map.of())).contains("text");
    }

    @Test
    void tellsTheTimeInUtcUnlessAskedForAZone() {
        OffsetDateTime told = OffsetDateTime.parse(answer("get_time", Map.of()));

        assertThat(told.getOffset()).isEqualTo(ZoneOffset.UTC);
        assertThat(Duration.between(told, OffsetDateTime.now(ZoneOffset.UTC)).abs())
                .isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void tellsTheTimeInAnIanaZone() {
        OffsetDateTime told = OffsetDateTime.parse(answer("get_time", Map.of("zone", "Asia/Kathmandu")));

        assertThat(told.getOffset()).isEqualTo(ZoneOffset.ofHoursMinutes(5, 45));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Mars/Olympus", "europe/paris", "+02:00", ""})
    void aZoneThatIsNoIanaNameIsAnErrorThatNamesIt(String zone) {
        assertThat(refusal("get_time", Map.of("zone", zone))).contains("[" + zone + "]");
    }

    @Test
    void describesATableWithTypesNullabilityAndKeysInKeyOrder() {
        assertThat(answer("inspect_table_schema", Map.of("table", "ORDER_LINE")))
                .isEqualTo("""
                        table ORDER_LINE
                          ORDER_ID BIGINT NOT NULL
                          LINE_NO INTEGER NOT NULL
                          PRODUCT_ID BIGINT NOT NULL
                          QUANTITY INTEGER NOT NULL
                        primary key (ORDER_ID, LINE_NO)
                        foreign key ORDER_ID references ORDERS(ID)
                        foreign key PRODUCT_ID references PRODUCT(ID)
                        """);
    }

    @ParameterizedTest
    @CsvSource({"CUSTOMER, COUNTRY CHARACTER(2) NULL", "customer, NAME CHARACTER VARYING(80) NOT NULL"})
    void aTableMayBeNamedInEitherCase(String table, String column) {
        assertThat(answer("inspect_table_schema", Map.of("table", table))).contains("  " + column + "\n");
    }

    @Test
    void showsPrecisionAndScaleOfNumbersThatHaveThem() {
        assertThat(answer("inspect_table_schema", Map.of("table", "PRODUCT")))
                .contains("  PRICE NUMERIC(10,2) NOT NULL\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOICE", "ORDER%", "ORDER_LIN_", "CUSTOMER' OR '1'='1", "TABLES"})
    void anUnknownTableIsAnErrorThatListsTheTablesThereAre(String table) {
        assertThat(refusal("inspect_table_schema", Map.of("table", table)))
                .isEqualTo("No table [" + table + "]. There are: CUSTOMER, ORDERS, ORDER_LINE, PRODUCT");
    }

    @Test
    void progressArrivesWhileTheExportIsStillRunning() throws Exception {
        CompletableFuture<CallToolResult> running = CompletableFuture.supplyAsync(
                () -> client.callTool(CallToolRequest.builder("export_report")
                        .arguments(Map.of("rows", 7, "delayMs", 700, "steps", 4))
                        .progressToken("export-1")
                        .build()),
                DemoServerTest::onItsOwnThread);

        await().pollInterval(Duration.ofMillis(10)).until(() -> !progress.isEmpty());
        assertThat(running).isNotDone();
        assertThat(progress.get(0).progress()).isEqualTo(1.0);
        long first = System.nanoTime();

        CallToolResult result = running.get(20, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - first))
                .as("three steps of 700 ms are left after the first is told")
                .isGreaterThan(Duration.ofSeconds(1));
        assertThat(text(result).lines()).hasSize(8).first().isEqualTo("order_id,line_no,product_id,quantity");
        await().untilAsserted(() -> assertThat(progress)
                .allSatisfy(told -> assertThat(told.progressToken()).isEqualTo("export-1"))
                .allSatisfy(told -> assertThat(told.total()).isEqualTo(4.0))
                .extracting(ProgressNotification::progress)
                .containsExactly(1.0, 2.0, 3.0, 4.0));
    }

    @Test
    void aRunningExportHoldsUpNoOtherCall() {
        CompletableFuture<CallToolResult> running = CompletableFuture.supplyAsync(
                () -> client.callTool(CallToolRequest.builder("export_report")
                        .arguments(Map.of("delayMs", 1000, "steps", 2))
                        .progressToken(1)
                        .build()),
                DemoServerTest::onItsOwnThread);
        await().until(() -> !progress.isEmpty());

        assertThat(answer("echo", Map.of("text", "meanwhile"))).isEqualTo("meanwhile");
        assertThat(running).isNotDone();
        running.join();
    }

    @Test
    void anExportWithoutATokenTellsNoProgressAndAnswersWithItsDefaults() {
        String csv = answer("export_report", Map.of("delayMs", 0));

        assertThat(csv.lines()).hasSize(51);
        assertThat(progress).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"rows, 0", "rows, 1001", "delayMs, -1", "delayMs, 2001", "steps, 0", "steps, 51"})
    void anExportOutsideItsBoundsIsAnErrorThatNamesTheArgument(String argument, int value) {
        assertThat(refusal("export_report", Map.of(argument, value))).contains(argument);
    }

    @Test
    void anUnknownToolIsAJsonRpcError() {
        assertThatThrownBy(() -> call("drop_table", Map.of()))
                .isInstanceOfSatisfying(
                        McpError.class,
                        error -> assertThat(error.getJsonRpcError().code()).isEqualTo(-32602));
    }

    @Test
    void hasAReadmeToListAndRead() {
        assertThat(client.listResources().resources()).extracting(Resource::uri).containsExactly("weir-demo://readme");
        assertThat(client.readResource(ReadResourceRequest.builder("weir-demo://readme")
                                .build())
                        .contents())
                .singleElement()
                .isInstanceOfSatisfying(TextResourceContents.class, readme -> {
                    assertThat(readme.mimeType()).isEqualTo("text/plain");
                    assertThat(readme.text()).contains("inspect_table_schema");
                });
    }

    @Test
    void hasAPromptThatBringsTheTablesSchemaAlong() {
        assertThat(client.listPrompts().prompts()).extracting(Prompt::name).containsExactly("summarise_table");
        assertThat(client.getPrompt(prompt("orders")).messages())
                .singleElement()
                .satisfies(message -> assertThat(((TextContent) message.content()).text())
                        .contains("foreign key CUSTOMER_ID references CUSTOMER(ID)"));
    }

    @Test
    void aPromptForAnUnknownTableIsAnErrorThatListsTheTables() {
        assertThatThrownBy(() -> client.getPrompt(prompt("invoice")))
                .isInstanceOf(McpError.class)
                .hasMessageContaining("invoice")
                .hasMessageContaining("ORDER_LINE");
    }

    @Test
    void answersPing() {
        assertThat(client.ping()).isNotNull();
    }

    @Test
    void aDeletedSessionIsGone() throws Exception {
        String session = openSession(server.url());

        assertThat(send(server.url(), "DELETE", session, "")).isEqualTo(200);
        assertThat(send(server.url(), "POST", session, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"))
                .isEqualTo(404);
    }

    @Test
    void answersOnTheLoopbackAddressOnly() {
        assertThat(server.url().toString()).matches("http://127\\.0\\.0\\.1:[0-9]+/mcp");
    }

    @Test
    void twoServersLiveSideBySideAndClosingOneLeavesTheOtherAlone() throws Exception {
        DemoServer second = DemoServer.start();
        openSession(second.url());
        second.close();
        second.close();

        assertThatThrownBy(() -> openSession(second.url())).isInstanceOf(ConnectException.class);
        assertThat(answer("inspect_table_schema", Map.of("table", "CUSTOMER"))).startsWith("table CUSTOMER");
    }

    @Test
    void noneOfItsThreadsKeepsTheJvmAlive() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (DemoServer second = DemoServer.start()) {
            openSession(second.url());

            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> !before.contains(thread))
                    .isNotEmpty()
                    .allMatch(Thread::isDaemon);
        }
    }

    @Test
    void closesSoonThoughAClientStillListensAndAnExportRuns() throws Exception {
        DemoServer second = DemoServer.start();
        List<ProgressNotification> told = new CopyOnWriteArrayList<>();
        try (McpSyncClient listening = connect(second.url(), told)) {
            CompletableFuture<CallToolResult> unused = CompletableFuture.supplyAsync(
                    () -> listening.callTool(CallToolRequest.builder("export_report")
                            .arguments(Map.of("delayMs", 500, "steps", 50))
                            .progressToken(1)
                            .build()),
                    DemoServerTest::onItsOwnThread);
            await().until(() -> !told.isEmpty());

            assertThat(CompletableFuture.runAsync(second::close, DemoServerTest::onItsOwnThread))
                    .succeedsWithin(Duration.ofSeconds(4));
            assertThatThrownBy(() -> openSession(second.url())).isInstanceOf(ConnectException.class);
        }
    }

    /** The common pool has one thread on a small machine, and the client needs it while a call waits for its answer. */
    private static void onItsOwnThread(Runnable task) {
        new Thread(task).start();
    }

    private static McpSyncClient connect(URI url, List<ProgressNotification> progress) {
        var transport = HttpClientStreamableHttpTransport.builder(
                        url.resolve("/").toString())
                .endpoint(url.getPath())
                .build();
        McpSyncClient client = McpClient.sync(transport)
                .progressConsumer(progress::add)
                .requestTimeout(Duration.ofSeconds(20))
                .build();
        client.initialize();
        return client;
    }

    private String answer(String tool, Map<String, Object> arguments) {
        CallToolResult result = call(tool, arguments);
        assertThat(result.isError()).as(text(result)).isNotEqualTo(true);
        return text(result);
    }

    private String refusal(String tool, Map<String, Object> arguments) {
        CallToolResult result = call(tool, arguments);
        assertThat(result.isError()).as(text(result)).isTrue();
        return text(result);
    }

    private CallToolResult call(String tool, Map<String, Object> arguments) {
        return client.callTool(
                CallToolRequest.builder(tool).arguments(arguments).build());
    }

    private static GetPromptRequest prompt(String table) {
        return GetPromptRequest.builder("summarise_table")
                .arguments(Map.of("table", table))
                .build();
    }

    private static String text(CallToolResult result) {
        assertThat(result.content()).hasSize(1);
        return ((TextContent) result.content().get(0)).text();
    }

    private static String openSession(URI url) throws Exception {
        String body = """
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
                 "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}""";
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.headers().firstValue("Mcp-Session-Id").orElseThrow();
    }

    private static int send(URI url, String method, String session, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("Mcp-Session-Id", session)
                .method(method, BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
    }
}
