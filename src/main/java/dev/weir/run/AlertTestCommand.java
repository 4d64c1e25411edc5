package dev.weir.run;

import dev.weir.app.AlertTrial;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code alert-test}: tries whether alerts arrive. Shows neither addresses nor secrets. */
@Command(
        name = "alert-test",
        description = "Sends one test to each receiver of alerts that the settings name, and prints what came of it.",
        mixinStandardHelpOptions = true)
public final class AlertTestCommand implements Callable<Integer> {

    private static final int FAILED = 2;

    private final Function<Optional<Path>, Settings> settings;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--target", paramLabel = "NAME", description = "The one receiver that gets it.")
    private Optional<String> target = Optional.empty();

    @Option(names = "--conf", paramLabel = "FILE", description = "The file of settings that Weir was started with.")
    private Optional<Path> conf = Optional.empty();

    /** @param settings finds the settings, by the file that is named, if one is */
    public AlertTestCommand(Function<Optional<Path>, Settings> settings) {
        this.settings = settings;
    }

    /** @return 0 if all have taken it, else 2 */
    @Override
    public Integer call() {
        List<AlertTrial.Outcome> outcomes;
        try {
            outcomes = AlertTrial.run(settings.apply(conf), target);
        } catch (SettingsException e) {
            return failed(String.valueOf(e.getMessage()));
        }
        if (outcomes.isEmpty()) {
            return failed(
                    "the settings name no receiver of alerts: neither mcp.alert.webhook-url nor mcp.alert.targets");
        }
        print(outcomes);
        return outcomes.stream().allMatch(outcome -> outcome.failure().isEmpty()) ? 0 : FAILED;
    }

    private void print(List<AlertTrial.Outcome> outcomes) {
        int width = outcomes.stream()
                .mapToInt(outcome -> outcome.target().length())
                .max()
                .orElse(1);
        PrintWriter out = spec.commandLine().getOut();
        for (AlertTrial.Outcome outcome : outcomes) {
            String said = outcome.failure().isEmpty() ? "ok" : outcome.failure();
            out.println(String.format("%-" + width + "s  %-8s  %s", outcome.target(), outcome.format(), said));
        }
        out.flush();
    }

    private int failed(String line) {
        spec.commandLine().getErr().println("weir alert-test: " + line);
        spec.commandLine().getErr().flush();
        return FAILED;
    }
}
