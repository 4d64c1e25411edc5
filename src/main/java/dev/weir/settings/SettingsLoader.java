package dev.weir.settings;

import dev.weir.auth.KeyStrategy;
import dev.weir.limit.Limit;
import io.smallrye.config.ConfigMappings;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings, from the strongest to the weakest: the command line, system properties, environment variables, the file.
 * An empty environment variable is as good as none. A value that cannot be used stops the start, as does a key of the file
 * that there is not; a variable {@code MCP_…} that there is not is warned of, because it may be meant for somebody else.
 */
public final class SettingsLoader {

    private static final String PREFIX = "mcp.";
    private static final String ENV_PREFIX = "MCP_";
    private static final String FILE = "_FILE";

    /** Secrets, which may also be given as the name of a file that holds them. */
    private static final Set<String> SECRETS = Set.of(
            "MCP_DB_PASSWORD",
            "MCP_ADMIN_TOKEN",
            "MCP_TLS_KEY_STORE_PASSWORD",
            "MCP_ALERT_WEBHOOK_URL",
            "MCP_ALERT_WEBHOOK_SECRET",
            "MCP_OTEL_EXPORTER_OTLP_HEADERS");

    /** What variables and properties of OpenTelemetry begin with, which are settings under our prefix. */
    private static final String OTEL = "otel.";

    private static final String OTEL_ENV = "OTEL_";

    /** The variable that names the file of settings, where no command line does. */
    private static final String CONF = "MCP_CONF";

    private final Map<String, String> environment;
    private final Map<String, String> systemProperties;
    private final Consumer<String> warnings;

    /** @param warnings told of what looks like a mistake but does not stop the start */
    public SettingsLoader(
            Map<String, String> environment, Map<String, String> systemProperties, Consumer<String> warnings) {
        this.environment = environment;
        this.systemProperties = systemProperties;
        this.warnings = warnings;
    }

    /** A loader for this process. */
    public static SettingsLoader ofThisProcess(Consumer<String> warnings) {
        Map<String, String> properties = new HashMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name));
        }
        return new SettingsLoader(System.getenv(), properties, warnings);
    }

    /**
     * Reads the settings.
     *
     * @param file        the file of settings; null to look at {@code MCP_CONF}, or read none
     * @param commandLine keys and values that win over everything
     * @throws SettingsException with one line that names the setting, the value and the rule
     */
    public Settings load(@Nullable Path file, Map<String, String> commandLine) {
        return load(file, commandLine, Map.of());
    }

    /**
     * Reads the settings, with keys and values that stand where nobody says otherwise.
     *
     * @throws SettingsException with one line that names the setting, the value and the rule
     */
    public Settings load(@Nullable Path file, Map<String, String> commandLine, Map<String, String> defaults) {
        Map<String, String> env = environment();
        Path conf = file != null || !env.containsKey(CONF) ? file : Path.of(env.get(CONF));
        Map<String, String> fromFile = conf == null ? Map.of() : read(conf);
        Map<String, String> named = NamedKeys.takeFrom(env);
        Set<String> known = known();
        for (String key : new TreeSet<>(fromFile.keySet())) {
            if (!known.contains(NamedKeys.template(key))) {
                throw new SettingsException("there is no setting [" + key + "], which stands in " + conf);
            }
        }
        warnOfUnknown(env, known);
        try {
            SmallRyeConfig config = new SmallRyeConfigBuilder()
                    .addDefaultInterceptors()
                    .withSources(
                            new PropertiesConfigSource(NamedKeys.inOneForm(commandLine), "command line", 500),
                            new PropertiesConfigSource(ours(systemProperties), "system properties", 400),
                            new PropertiesConfigSource(named, "environment", 300),
                            new EnvConfigSource(env, 300),
                            new PropertiesConfigSource(NamedKeys.inOneForm(fromFile), String.valueOf(conf), 200),
                            new PropertiesConfigSource(defaults, "defaults", 100))
                    .withMapping(Settings.class)
                    .withMappingIgnore(PREFIX + "**")
                    .build();
            return checked(config.getConfigMapping(Settings.class));
        } catch (RuntimeException e) {
            if (e instanceof SettingsException) {
                throw e;
            }
            throw new SettingsException(oneLine(e));
        }
    }

    private static Settings checked(Settings settings) {
        if (settings.port() < 0 || settings.port() > 65_535) {
            throw new SettingsException("mcp.port must be from 0 to 65535, not " + settings.port());
        }
        if (settings.maxBodyBytes() < 1_024 || settings.maxBodyBytes() > 64 << 20) {
            throw new SettingsException(
                    "mcp.max-body-bytes must be from 1024 to " + (64 << 20) + ", not " + settings.maxBodyBytes());
        }
        long buffered = settings.maxBufferedBytes().orElse(Long.MAX_VALUE);
        if (buffered < settings.maxBodyBytes()) {
            throw new SettingsException(
                    "mcp.max-buffered-bytes must not be less than mcp.max-body-bytes, but is " + buffered);
        }
        FrontDoor.check(settings);
        LogSettings.check(settings);
        AlertSettings.check(settings);
        AdminSettings.check(settings);
        auth(settings.auth());
        seconds("mcp.stop.delay-seconds", settings.stop().delaySeconds());
        seconds("mcp.stop.grace-seconds", settings.stop().graceSeconds());
        try {
            Limit.of(
                    settings.rateLimit().requestsPerSecond(),
                    settings.rateLimit().burstSize());
        } catch (IllegalArgumentException e) {
            throw new SettingsException("mcp.rate-limit: " + e.getMessage());
        }
        try {
            KeyStrategy.of(settings.rateLimit().keyStrategy());
        } catch (IllegalArgumentException e) {
            throw new SettingsException("mcp.rate-limit.key-strategy: " + e.getMessage());
        }
        return settings;
    }

    private static void auth(Settings.Auth auth) {
        Settings.Jwt jwt = auth.jwt();
        if (jwt.issuer().isPresent() != jwt.audience().isPresent()) {
            throw new SettingsException(
                    "mcp.auth.jwt.issuer and mcp.auth.jwt.audience must both be set, or neither: a token that was made for"
                            + " somebody else must not be taken");
        }
        if (auth.jwksUrl().isPresent() && jwt.issuer().isEmpty()) {
            throw new SettingsException("mcp.auth.jwks-url is of no use without mcp.auth.jwt.issuer");
        }
        if (jwt.clockSkewSeconds() < 0 || jwt.clockSkewSeconds() > 300) {
            throw new SettingsException(
                    "mcp.auth.jwt.clock-skew-seconds must be from 0 to 300, not " + jwt.clockSkewSeconds());
        }
        jwt.issuer().ifPresent(url -> http("mcp.auth.jwt.issuer", url));
        auth.jwksUrl().ifPresent(url -> http("mcp.auth.jwks-url", url));
    }

    private static void http(String key, URI url) {
        boolean usable = url.getHost() != null
                && url.getRawUserInfo() == null
                && ("https".equalsIgnoreCase(url.getScheme()) || "http".equalsIgnoreCase(url.getScheme()));
        if (!usable) {
            throw new SettingsException(
                    key + " must be an http or https URL without user or password, not [" + url + "]");
        }
    }

    private static void seconds(String key, int value) {
        if (value < 0 || value > 3_600) {
            throw new SettingsException(key + " must be from 0 to 3600, not " + value);
        }
    }

    /** The environment without empty variables, and with the contents of files where secrets are given by file. */
    private Map<String, String> environment() {
        Map<String, String> env = new HashMap<>();
        environment.forEach((name, value) -> {
            if (value.isEmpty()) {
                return;
            }
            if (name.startsWith(ENV_PREFIX)) {
                env.put(name, value);
            } else if (name.startsWith(OTEL_ENV)) {
                env.put(ENV_PREFIX + name, value);
            }
        });
        for (Map.Entry<String, String> each : Map.copyOf(env).entrySet()) {
            String variable = each.getKey();
            String secret = variable.endsWith(FILE) ? variable.substring(0, variable.length() - FILE.length()) : "";
            if (SECRETS.contains(secret) || NamedKeys.isSecret(secret)) {
                env.remove(variable);
                env.put(secret, contents(variable, each.getValue()));
            }
        }
        return env;
    }

    private static String contents(String variable, String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new SettingsException(variable + " names a file that cannot be read: " + file);
        }
    }

    private void warnOfUnknown(Map<String, String> env, Set<String> known) {
        Set<String> names = new TreeSet<>(env.keySet());
        names.remove(CONF);
        for (String key : known) {
            names.remove(key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT));
        }
        for (String name : names) {
            warnings.accept("there is no setting for the environment variable " + name);
        }
    }

    /** The keys of all settings, with a star where an operator chooses a name. */
    static Set<String> known() {
        Set<String> keys =
                new TreeSet<>(ConfigMappings.getProperties(ConfigMappings.ConfigClass.configClass(Settings.class))
                        .keySet());
        // The elements of a list have keys of their own, which nobody is to use.
        keys.removeIf(key -> key.endsWith("[*]"));
        return keys;
    }

    private static Map<String, String> ours(Map<String, String> properties) {
        Map<String, String> ours = new HashMap<>();
        properties.forEach((key, value) -> {
            if (key.startsWith(PREFIX)) {
                ours.put(key, value);
            } else if (key.startsWith(OTEL)) {
                ours.put(PREFIX + OTEL + key.substring(OTEL.length()).replace('.', '-'), value);
            }
        });
        return NamedKeys.inOneForm(ours);
    }

    private static Map<String, String> read(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw new SettingsException("there is no file of settings " + file);
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingsException("the file of settings " + file + " cannot be read: " + oneLine(e));
        }
        Map<String, String> map = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> map.put(name, properties.getProperty(name)));
        return map;
    }

    private static String oneLine(Throwable failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return message.replaceAll("\\s*\\R\\s*", " ").strip();
    }
}
