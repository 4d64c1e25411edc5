package dev.weir.run;

import dev.weir.log.LogOutput;
import dev.weir.run.storm.StormCommand;
import java.security.SecureRandom;
import picocli.CommandLine;

/** The command line, once its libraries are there: see {@link Main}. */
public final class CommandLineMain {

    private CommandLineMain() {}

    /** Runs a command; ends the process unless the command was to serve and does. */
    public static void main(String[] arguments) {
        // H2 reads this once, when the first of its classes is loaded, which may be the demo's doing.
        System.setProperty("h2.bindAddress", "127.0.0.1");
        // One-shot commands print for people; the log lines of the libraries that they use would only be in the way.
        if (arguments.length > 0 && !arguments[0].startsWith("-")) {
            System.setProperty("weir.log.level", "OFF");
        }
        int exitCode = commandLine().execute(arguments);
        if (exitCode != WeirCommand.GOES_ON) {
            LogOutput.close();
            System.exit(exitCode);
        }
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new WeirCommand());
        line.addSubcommand(new StormCommand());
        line.addSubcommand(new SqlCommand(Confs::database));
        line.addSubcommand(new KeyCommand(Confs::database, new SecureRandom()));
        line.addSubcommand(new AlertTestCommand(Confs::read));
        line.setParameterExceptionHandler((failure, args) -> {
            failure.getCommandLine().getErr().println("weir: " + failure.getMessage() + " (--help says what there is)");
            return CommandLine.ExitCode.USAGE;
        });
        return line;
    }
}
