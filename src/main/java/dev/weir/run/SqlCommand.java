package dev.weir.run;

import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnavailableException;
import dev.weir.store.SqlConnections;
import dev.weir.store.SqlConsole;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sql}: runs SQL on Weir's own database, beside a running Weir or without one. */
@Command(
        name = "sql",
        description = "Runs SQL on Weir's database, whether Weir is running or not. Several statements, separated by"
                + " semicolons, are one transaction.",
        mixinStandardHelpOptions = true)
public final class SqlCommand implements Callable<Integer> {

    private static final int FAILED = 2;

    private final Function<Optional<Path>, DatabaseSettings> settings;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "STATEMENT", description = "What to run, such as \"SELECT * FROM tool_tier\".")
    private String statement = "";

    @Option(names = "--conf", paramLabel = "FILE", description = "The file of settings that Weir was started with.")
    private Optional<Path> conf = Optional.empty();

    /** @param settings finds the database, by the file of settings that is named, if one is */
    public SqlCommand(Function<Optional<Path>, DatabaseSettings> settings) {
        this.settings = settings;
    }

    /** @return 0, or 2 after one line on standard error */
    @Override
    public Integer call() {
        try (Connection connection = SqlConnections.open(settings.apply(conf), operator())) {
            new SqlConsole(spec.commandLine().getOut()).run(connection, statement);
            return 0;
        } catch (DatabaseUnavailableException e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (SQLException e) {
            return failed(SqlConsole.reason(e));
        }
    }

    /** Who is at the command line, as far as the operating system says. */
    private static String operator() {
        return "sql: " + System.getProperty("user.name");
    }

    private int failed(String line) {
        spec.commandLine().getErr().println("weir sql: " + line);
        spec.commandLine().getErr().flush();
        return FAILED;
    }
}
