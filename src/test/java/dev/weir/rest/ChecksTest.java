package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.StringNode;

class ChecksTest {

    private static final Schema BAN = Schema.of("Ban")
            .member("reason", Schema.words(20))
            .maybe("seconds", Schema.whole(1, 100))
            .maybe("scope", Schema.oneOf("tools", "all"))
            .maybe("until", Schema.time().orNull());

    private static final List<Parameter> PARAMETERS = List.of(
            Parameter.query("limit", Schema.whole(1, 500), "how many"),
            Parameter.query("from", Schema.time(), "since when"),
            Parameter.query("tool", Schema.text(10), "which"),
            Parameter.query("open", Schema.flag(), "whether"));

    private final Checks checks = new Checks();

    @Test
    void whatIsAsItHasToBePasses() {
        assertThat(checks.body(bytes("{\"reason\":\"loop\",\"seconds\":5,\"scope\":\"all\",\"until\":null}"), BAN)
                        .path("seconds")
                        .asInt())
                .isEqualTo(5);
    }

    @Test
    void everyFaultNamesFieldValueAndRule() {
        assertThat(faults("{\"seconds\":0,\"scope\":\"some\",\"until\":\"tomorrow\",\"x\":1}"))
                .containsExactlyInAnyOrder(
                        new Problem.Fault("reason", null, "is missing"),
                        new Problem.Fault("x", null, "is not known here"),
                        new Problem.Fault("seconds", "0", "must be at least 1"),
                        new Problem.Fault("scope", "some", "must be one of tools, all"),
                        new Problem.Fault("until", "tomorrow", "must be an instant such as 2026-12-01T06:30:00Z"));
        assertThat(faults("{\"reason\":\"  \"}"))
                .containsExactly(new Problem.Fault("reason", "  ", "must not be blank"));
        assertThat(faults("{\"reason\":5}")).containsExactly(new Problem.Fault("reason", "5", "must be text"));
    }

    @Test
    void whatIsNoObjectIsSaidToBeNone() {
        for (String body : new String[] {"", "[]", "{", "nul", "{\"reason\":1,\"reason\":2}", "{} {}", "\"x\""}) {
            Problem problem = catchThrowableOfType(Problem.class, () -> checks.body(bytes(body), BAN));
            assertThat(problem).as(body).isNotNull();
            assertThat(problem.status()).as(body).isEqualTo(400);
        }
    }

    @Test
    void parametersHaveTypes() {
        Map<String, JsonNode> query = checks.query(
                Map.of("limit", one("050"), "from", one("2026-12-01T06:30:00Z"), "tool", one("7"), "open", one("true")),
                PARAMETERS);
        assertThat(query)
                .containsEntry("limit", IntNode.valueOf(50))
                .containsEntry("tool", StringNode.valueOf("7"))
                .containsEntry("open", BooleanNode.TRUE)
                .containsKey("from");
        assertThat(checks.query(Map.of("tool", one("")), PARAMETERS)).isEmpty();
    }

    @Test
    void parametersThatCannotBeAreRefused() {
        for (var bad : List.of(
                Map.of("limit", one("0")),
                Map.of("limit", one("x")),
                Map.of("limit", one("99999999999999999999999")),
                Map.of("from", one("yesterday")),
                Map.of("open", one("yes")),
                Map.of("tool", one("a-name-too-long")),
                Map.of("tool", new String[] {"a", "b"}),
                Map.of("none", one("1")))) {
            Problem problem = catchThrowableOfType(Problem.class, () -> checks.query(bad, PARAMETERS));
            assertThat(problem).as(bad.keySet().toString()).isNotNull();
            assertThat(problem.status()).isEqualTo(400);
        }
    }

    private List<Problem.Fault> faults(String body) {
        return catchThrowableOfType(Problem.class, () -> checks.body(bytes(body), BAN))
                .faults();
    }

    private static String[] one(String value) {
        return new String[] {value};
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
