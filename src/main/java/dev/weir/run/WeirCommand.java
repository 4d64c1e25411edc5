package dev.weir.run;

import dev.weir.settings.SettingsException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

/** Without a subcommand: serves, until the process is told to stop. */
@Command(
        name = "weir",
        description = "An MCP gateway that holds back runaway agents.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirCommand.Version.class)
final class WeirCommand implements Callable<Integer> {

    /** The exit code of a command that goes on by itself. */
    static final int GOES_ON = -1;

    private static final int UNUSABLE = 2;

    @Option(
            names = "--demo",
            description = "Start a demo MCP server too, with tools, clients and keys to try; on this machine only.")
    private boolean demo;

    @Option(names = "--port", paramLabel = "N", description = "The port to listen on; wins over MCP_PORT.")
    private @Nullable Integer port;

    @Option(names = "--conf", paramLabel = "FILE", description = "The file of settings; wins over MCP_CONF.")
    private @Nullable Path conf;

    @Override
    public Integer call() {
        try {
            Serve.start(Confs.serve(conf, port, demo), demo, System.out);
            return GOES_ON;
        } catch (SettingsException | Serve.UnusableException e) {
            System.err.println("weir: " + e.getMessage());
            return UNUSABLE;
        }
    }

    /** What {@code --version} says. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = WeirCommand.class.getPackage().getImplementationVersion();
            return new String[] {"weir " + (version == null ? "(not packaged)" : version)};
        }
    }
}
