package dev.weir.run.storm;

import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code storm}: plays an agent with a bug in its loop, and shows what such an agent is told.
 *
 * <p>Exit code 0 if the storm took place, whatever came of it; 2, with one line on the error writer, if an option is
 * unusable or the server cannot be had.
 */
@Command(
        name = "storm",
        description = "Calls one tool at a fixed rate without waiting for answers, as a runaway agent does.")
public final class StormCommand implements Callable<Integer> {

    private static final int NO_STORM = 2;

    @Option(names = "--url", description = "MCP endpoint (default: ${DEFAULT-VALUE})")
    private String url = "http://127.0.0.1:8080/mcp";

    @Option(names = "--tool", description = "Tool to call (default: ${DEFAULT-VALUE})")
    private String tool = "inspect_table_schema";

    @Option(names = "--arguments", description = "Arguments of the tool, a JSON object")
    private @Nullable String arguments;

    @Option(names = "--rate", description = "Calls per second, 1 to 10000 (default: ${DEFAULT-VALUE})")
    private int rate = 140;

    @Option(names = "--seconds", description = "How long, 1 to 600 (default: ${DEFAULT-VALUE})")
    private int seconds = 5;

    @Option(names = "--key", description = "API key, sent as a bearer token (default: the variable WEIR_KEY)")
    private @Nullable String key;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and do nothing else")
    private boolean unusedHelp;

    @Spec
    private @Nullable CommandSpec spec;

    private final Map<String, String> environment;

    /** A command that may take its key from this process's environment. */
    public StormCommand() {
        this(System.getenv());
    }

    StormCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (spec == null) {
            throw new IllegalStateException("storm runs under picocli only");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        SdkLogs.silence();
        try {
            Plan plan = Plan.of(url, key != null ? key : environment.get("WEIR_KEY"), tool, arguments, rate, seconds);
            try (Agent agent = Agent.connect(plan.url(), plan.key())) {
                new Storm(agent, plan, Storm.PATIENCE).run(out);
            }
            return 0;
        } catch (IllegalArgumentException | Agent.NoSessionException e) {
            err.println("storm: " + e.getMessage());
            err.flush();
            return NO_STORM;
        }
    }
}
