package dev.weir.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.settings.SettingsLoader;
import dev.weir.wire.HookReceiver;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What is printed of a test of real receivers. */
@Timeout(60)
class AlertTestCommandTest {

    private static final String PATH = "/canary?key=canary";

    private final Map<String, String> settings = new HashMap<>();
    private HookReceiver good;
    private HookReceiver bad;
    private String out = "";
    private String err = "";

    @BeforeEach
    void listen() throws Exception {
        good = new HookReceiver(number -> HookReceiver.status(200, "{\"code\":0,\"errcode\":0}"));
        bad = new HookReceiver(number -> HookReceiver.status(200, "{\"code\":19021,\"msg\":\"canary\"}"));
    }

    @AfterEach
    void close() {
        good.close();
        bad.close();
    }

    private void target(String name, HookReceiver receiver, String format) {
        settings.put("mcp.alert.targets." + name + ".url", receiver.url(PATH));
        settings.put("mcp.alert.targets." + name + ".format", format);
    }

    private int run(String... arguments) {
        StringWriter stdout = new StringWriter();
        StringWriter stderr = new StringWriter();
        int code = new CommandLine(new AlertTestCommand(
                        conf -> new SettingsLoader(Map.of(), Map.of(), warning -> {}).load(null, settings)))
                .setOut(new PrintWriter(stdout))
                .setErr(new PrintWriter(stderr))
                .execute(arguments);
        out = stdout.toString();
        err = stderr.toString();
        assertThat(out + err).doesNotContain("canary");
        return code;
    }

    @Test
    void allThatTakeItAreOk() {
        settings.put("mcp.alert.webhook-url", good.url(PATH));
        settings.put("mcp.alert.webhook-secret", "canary-canary-canary");
        target("chat", good, "wecom");
        assertThat(run()).as(err).isZero();
        assertThat(out.lines()).containsExactly("webhook  json      ok", "chat     wecom     ok");
        assertThat(good.received()).hasSize(2);
        assertThat(good.received()).anyMatch(each -> each.header("X-Weir-Event").equals("test"));
    }

    @Test
    void oneThatDoesNotTakeItIsToldWithTheReason() {
        target("good", good, "feishu");
        target("bad", bad, "feishu");
        assertThat(run()).isEqualTo(2);
        assertThat(out.lines())
                .containsExactly(
                        "bad   feishu    answered the code 19021: the signature is not good, or the clock is wrong by more than an hour",
                        "good  feishu    ok");
    }

    @Test
    void onlyOneIsTriedIfItIsNamed() {
        target("good", good, "slack");
        target("bad", bad, "feishu");
        assertThat(run("--target", "good")).as(err).isZero();
        assertThat(bad.received()).isEmpty();
        assertThat(run("--target", "nobody")).isEqualTo(2);
        assertThat(err).startsWith("weir alert-test: ").contains("[nobody]").hasLineCount(1);
    }

    @Test
    void withoutReceiversThatIsSaid() {
        assertThat(run()).isEqualTo(2);
        assertThat(err)
                .startsWith("weir alert-test: ")
                .contains("mcp.alert.webhook-url")
                .hasLineCount(1);
    }

    @Test
    void settingsOfNoUseAreSaid() {
        settings.put("mcp.alert.webhook-url", "canary");
        assertThat(run()).isEqualTo(2);
        assertThat(err)
                .startsWith("weir alert-test: mcp.alert.webhook-url must be")
                .hasLineCount(1);
    }
}
