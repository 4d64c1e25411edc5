package dev.weir.run.storm;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.run.demo.DemoServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

class StormCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aServerThatRefusesNobodyAdmitsEveryCall() throws Exception {
        try (DemoServer server = DemoServer.start()) {
            assertThat(storm("--url", server.url().toString(), "--rate", "100", "--seconds", "2"))
                    .isZero();
        }
        assertThat(count("sent")).isEqualTo(200);
        assertThat(count("admitted")).isEqualTo(200);
        assertThat(Stream.of("throttled", "banned", "forbidden", "failed"))
                .allSatisfy(kind -> assertThat(count(kind)).isZero());
        assertThat(out.toString())
                .contains(" s  admitted: table CUSTOMER ID BIGINT NOT NULL")
                .containsPattern("(?m)^admitted +[0-9.]+ +[0-9.]+ +[0-9.]+$")
                .containsPattern("(?m)^refused +- +- +-$")
                .containsPattern("(?m)^wall time [0-9.]+ s$");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aToolsOwnErrorCountsAsAdmitted() throws Exception {
        try (DemoServer server = DemoServer.start()) {
            storm(
                    "--url",
                    server.url().toString(),
                    "--arguments",
                    "{\"table\":\"INVOICE\"}",
                    "--rate",
                    "5",
                    "--seconds",
                    "1");
        }
        assertThat(count("admitted")).isEqualTo(5);
        assertThat(out.toString()).contains("admitted: No table [INVOICE].");
    }

    static Stream<Arguments> formsOfRefusal() {
        return Stream.of(
                Arguments.of("JSON-RPC error, legacy era", error(-32029), error(-32030), error(-32031)),
                Arguments.of("JSON-RPC error, modern era", error(-31029), error(-31030), error(-31031)),
                Arguments.of("tool result", result("throttled"), result("banned"), result("forbidden")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("formsOfRefusal")
    void everyFormOfRefusalIsToldOnceAndCounted(String form, String throttled, String banned, String forbidden)
            throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> {
            if (call <= 4) {
                return StubUpstream.ADMITTED;
            }
            return call <= 10 ? throttled : call <= 28 ? banned : forbidden;
        })) {
            assertThat(storm("--url", stub.url(), "--rate", "30", "--seconds", "1"))
                    .isZero();
        }
        assertThat(count("sent")).isEqualTo(30);
        assertThat(count("admitted")).isEqualTo(4);
        assertThat(count("throttled")).isEqualTo(6);
        assertThat(count("banned")).isEqualTo(18);
        assertThat(count("forbidden")).isEqualTo(2);
        assertThat(count("failed")).isZero();
        assertThat(out.toString().lines().filter(line -> line.contains(": told ")))
                .hasSize(3)
                .allSatisfy(line ->
                        assertThat(line).matches(" +[0-9]\\.[0-9]{3} s  (throttled|banned|forbidden): told .*"));
        assertThat(out.toString()).containsPattern("(?m)^refused +[0-9.]+ +[0-9.]+ +[0-9.]+$");
    }

    @Test
    void otherErrorsAndBareStatusesAreFailuresAndSayWhatTheyWere() throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> call == 1 ? error(-32602) : StubUpstream.HTTP_403)) {
            assertThat(storm("--url", stub.url(), "--rate", "3", "--seconds", "1"))
                    .isZero();
        }
        assertThat(count("failed")).isEqualTo(3);
        assertThat(out.toString()).contains(" s  failed: told -32602");
    }

    @ParameterizedTest
    @CsvSource({"429, 429", "403, HTTP 403"})
    void aBareStatusIsNamed(String answer, String said) throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> answer)) {
            storm("--url", stub.url(), "--rate", "2", "--seconds", "1");
        }
        assertThat(count("failed")).isEqualTo(2);
        assertThat(out.toString()).containsPattern("failed: .*" + said);
    }

    @Test
    void callsGoOutOnTimeThoughTheServerHoldsEveryAnswerBackUntilTheLastCall() throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> StubUpstream.HOLD)) {
            stub.holdUntil = 20;
            assertThat(storm("--url", stub.url(), "--rate", "20", "--seconds", "1"))
                    .isZero();

            assertThat(stub.arrivals).hasSize(20);
            assertThat(Duration.ofNanos(stub.arrivals.get(19) - stub.arrivals.get(0)))
                    .isBetween(Duration.ofMillis(800), Duration.ofSeconds(5));
        }
        assertThat(count("admitted")).isEqualTo(20);
    }

    @Test
    void callsThatTheServerNeverAnswersAreFailedWhenPatienceEnds() throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> call == 3 ? StubUpstream.HOLD : StubUpstream.ADMITTED)) {
            Plan plan = Plan.of(stub.url(), null, "echo", null, 5, 1);
            try (Agent agent = Agent.connect(plan.url(), plan.key())) {
                new Storm(agent, plan, Duration.ofMillis(500)).run(new PrintWriter(out));
            }
        }
        assertThat(count("sent")).isEqualTo(5);
        assertThat(count("admitted")).isEqualTo(4);
        assertThat(count("failed")).isEqualTo(1);
        assertThat(out.toString()).contains("(1 of the failed had no answer when the storm ended)");
    }

    @Test
    void callsTheToolWithItsArgumentsAndEndsItsSession() throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> StubUpstream.ADMITTED)) {
            storm(
                    "--url",
                    stub.url(),
                    "--tool",
                    "search",
                    "--arguments",
                    "{\"q\":[1,\"a\"]}",
                    "--rate",
                    "1",
                    "--seconds",
                    "1");

            assertThat(stub.calls).containsExactly("{\"name\":\"search\",\"arguments\":{\"q\":[1,\"a\"]}}");
            assertThat(stub.methods).startsWith("initialize").endsWith("DELETE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-, -, null",
                "from-env, -, Bearer from-env",
                "from-env, given, Bearer given",
                "-, given, Bearer given"
            })
    void theKeyIsTheOptionElseTheEnvironmentElseNone(String environment, String option, String sent) throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> StubUpstream.ADMITTED)) {
            String[] args = {"--url", stub.url(), "--rate", "1", "--seconds", "1"};
            if (option != null) {
                args = Stream.concat(Arrays.stream(args), Stream.of("--key", option))
                        .toArray(String[]::new);
            }
            storm(environment == null ? Map.of() : Map.of("WEIR_KEY", environment), args);

            assertThat(stub.authorizations).hasSizeGreaterThanOrEqualTo(2).containsOnly(sent);
        }
        assertThat(out.toString()).doesNotContain(sent);
    }

    @Test
    void aServerThatCannotBeReachedIsOneLineAndExitCodeTwo() throws Exception {
        String url = "http://127.0.0.1:" + unusedPort() + "/mcp";

        assertThat(storm("--url", url)).isEqualTo(2);

        assertThat(err.toString().lines()).containsExactly("storm: no MCP session at " + url + ": cannot connect");
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"401, HTTP 401", "403, HTTP 403", "404, 404", "429, 429", "503, 503"})
    void aRefusedHandshakeIsOneLineThatNamesTheStatusAndExitCodeTwo(int status, String said) throws Exception {
        try (StubUpstream stub = new StubUpstream(call -> StubUpstream.ADMITTED)) {
            stub.handshakeStatus = status;

            assertThat(storm("--url", stub.url())).isEqualTo(2);

            assertThat(stub.calls).isEmpty();
        }
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("storm: no MCP session at http://127.0.0.1:")
                .contains(said);
    }

    @ParameterizedTest
    @CsvSource({
        "--rate, 0",
        "--rate, 10001",
        "--seconds, 0",
        "--seconds, 601",
        "--url, ftp://127.0.0.1/mcp",
        "--url, /mcp",
        "--url, http://a b/",
        "--arguments, [1]",
        "--arguments, {",
        "--arguments, null"
    })
    void anUnusableOptionIsOneLineWithItsNameAndValueAndExitCodeTwo(String option, String value) {
        assertThat(storm(option, value)).isEqualTo(2);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("storm: " + option)
                .endsWith(value);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"line\r\nbreak", "with space", "schlüssel"})
    void anUnusableKeyIsRefusedWithoutBeingShown(String key) {
        assertThat(storm("--key", key)).isEqualTo(2);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("key")
                .doesNotContain(key);
    }

    @Test
    void theSdksLogStaysOutOfTheOutput() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(log);
        try (StubUpstream stub = new StubUpstream(call -> StubUpstream.HTTP_429)) {
            storm("--url", stub.url(), "--rate", "2", "--seconds", "1");
            storm("--url", "http://127.0.0.1:" + unusedPort() + "/mcp");
        } finally {
            root.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getLoggerName)
                .noneMatch(name -> name.startsWith("io.modelcontextprotocol") || name.startsWith("reactor"));
    }

    private int storm(String... args) {
        return storm(Map.of(), args);
    }

    private int storm(Map<String, String> environment, String... args) {
        return new CommandLine(new StormCommand(environment))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(args);
    }

    private int count(String row) {
        Matcher matcher = Pattern.compile("(?m)^" + row + " +([0-9]+)$").matcher(out.toString());
        assertThat(matcher.find()).as(out.toString()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private static String error(int code) {
        return "\"error\":{\"code\":" + code + ",\"message\":\"told " + code + "\"}";
    }

    private static String result(String reason) {
        return "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"told " + reason
                + "\"}],\"isError\":true,\"_meta\":{\"dev.weir/reason\":\"" + reason + "\"}}";
    }

    private static int unusedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
