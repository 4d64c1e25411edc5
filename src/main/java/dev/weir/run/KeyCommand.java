package dev.weir.run;

import dev.weir.auth.ApiKey;
import dev.weir.store.ClientKeys;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnavailableException;
import dev.weir.store.SqlConnections;
import dev.weir.store.SqlConsole;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code key}: makes, lists and revokes API keys, beside a running Weir or without one. A key is printed once, alone on standard
 * output, and kept as its digest only.
 */
@Command(
        name = "key",
        description = "Makes, lists and revokes the API keys of clients, whether Weir is running or not.",
        mixinStandardHelpOptions = true)
public final class KeyCommand implements Runnable {

    private static final int FAILED = 2;
    private static final int SHOWN_DIGITS = 8;
    private static final String CONF = "The file of settings that Weir was started with.";

    private final Function<Optional<Path>, DatabaseSettings> settings;
    private final SecureRandom random;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /**
     * @param settings finds the database, by the file of settings that is named, if one is
     * @param random   what keys are made of
     */
    public KeyCommand(Function<Optional<Path>, DatabaseSettings> settings, SecureRandom random) {
        this.settings = settings;
        this.random = random;
    }

    /** Something that is done with the keys. */
    private interface Work {
        void on(ClientKeys keys) throws SQLException, ClientKeys.UnusableException;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "key add, key list or key revoke?");
    }

    @Command(
            name = "add",
            description = "Makes a key and prints it: the only time that it is shown.",
            mixinStandardHelpOptions = true)
    int add(
            @Parameters(paramLabel = "CLIENT", description = "The id of the client.") String client,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            description = "Make the client under this name if there is none.")
                    Optional<String> name,
            @Option(names = "--label", paramLabel = "TEXT", defaultValue = "", description = "What the key is for.")
                    String label,
            @Option(
                            names = "--expires-in",
                            paramLabel = "TIME",
                            converter = Time.class,
                            description = "How long it is good: a number and s, m, h, d or w, such as 90d.")
                    Optional<Duration> holds,
            @Option(names = "--conf", paramLabel = "FILE", description = CONF) Optional<Path> conf) {
        String key = ApiKey.make(random);
        String digest = ApiKey.digest(key);
        return on(conf, keys -> {
            keys.add(client, name.orElse(null), digest, label, holds.orElse(null));
            spec.commandLine().getOut().println(key);
            spec.commandLine()
                    .getErr()
                    .println("weir key: this is key " + digest.substring(0, SHOWN_DIGITS) + " of client " + client
                            + ", and is not shown again");
        });
    }

    @Command(
            name = "list",
            description = "Lists keys by the beginnings of their SHA-256 digests.",
            mixinStandardHelpOptions = true)
    int list(
            @Parameters(paramLabel = "CLIENT", arity = "0..1", description = "The id of a client; all without one.")
                    Optional<String> client,
            @Option(names = "--conf", paramLabel = "FILE", description = CONF) Optional<Path> conf) {
        return on(
                conf,
                keys -> keys.list(
                        client.orElse(null), new SqlConsole(spec.commandLine().getOut())));
    }

    @Command(
            name = "revoke",
            description = "Revokes a key; a running Weir refuses it within a second.",
            mixinStandardHelpOptions = true)
    int revoke(
            @Parameters(paramLabel = "CLIENT", description = "The id of the client.") String client,
            @Parameters(paramLabel = "DIGEST", description = "The beginning of the key's digest, as list shows it.")
                    String prefix,
            @Option(names = "--conf", paramLabel = "FILE", description = CONF) Optional<Path> conf) {
        return on(conf, keys -> {
            keys.revoke(client, prefix);
            spec.commandLine().getOut().println("1 key revoked");
        });
    }

    private int on(Optional<Path> conf, Work work) {
        String operator = "key: " + System.getProperty("user.name");
        try (Connection connection = SqlConnections.open(settings.apply(conf), operator)) {
            work.on(new ClientKeys(connection));
            return 0;
        } catch (DatabaseUnavailableException | ClientKeys.UnusableException e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (SQLException e) {
            return failed(SqlConsole.reason(e));
        } finally {
            spec.commandLine().getOut().flush();
            spec.commandLine().getErr().flush();
        }
    }

    private int failed(String line) {
        spec.commandLine().getErr().println("weir key: " + line);
        return FAILED;
    }

    /** A number and a unit. */
    static final class Time implements ITypeConverter<Duration> {

        private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})([smhdw])");

        @Override
        public Duration convert(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new TypeConversionException(
                        "[" + text + "] is no time: a number and s, m, h, d or w, such as 90d");
            }
            long number = Long.parseLong(form.group(1));
            return switch (form.group(2)) {
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                case "d" -> Duration.of(number, ChronoUnit.DAYS);
                default -> Duration.of(7 * number, ChronoUnit.DAYS);
            };
        }
    }
}
