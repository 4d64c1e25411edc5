package dev.weir.telemetry;

import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of OpenTelemetry as Weir has them, {@code exporter-otlp-endpoint} for {@code otel.exporter.otlp.endpoint}. Immutable.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/">What variables there are</a>
 */
final class TraceSettings {

    private static final String PREFIX = "mcp.otel.";
    private static final String ENDPOINT = "exporter-otlp-endpoint";
    private static final String TRACES_ENDPOINT = "exporter-otlp-traces-endpoint";
    private static final List<String> ENDPOINTS = List.of(TRACES_ENDPOINT, ENDPOINT);
    private static final List<String> PROTOCOLS = List.of("exporter-otlp-traces-protocol", "exporter-otlp-protocol");
    private static final List<String> HEADERS = List.of("exporter-otlp-traces-headers", "exporter-otlp-headers");
    private static final String PROTOCOL = "http/protobuf";
    private static final Pattern PROPERTY = Pattern.compile("otel\\.[a-z0-9.]*[a-z0-9]");

    private final Map<String, String> settings;

    TraceSettings(Map<String, String> settings) {
        this.settings = new TreeMap<>(settings);
    }

    /** Whether there is to be any trace: somewhere to send them to, and nothing that says no. */
    boolean areOn() {
        return ENDPOINTS.stream().anyMatch(settings::containsKey)
                && !"true".equals(value("sdk-disabled"))
                && !"none".equals(value("traces-exporter"));
    }

    /** The properties for OpenTelemetry, under its own names. */
    Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>(Map.of("otel.exporter.otlp.protocol", PROTOCOL));
        settings.forEach((name, value) -> properties.put("otel." + name.replace('-', '.'), value));
        // Numbers are told at /metrics, and logs where all logs are.
        properties.put("otel.metrics.exporter", "none");
        properties.put("otel.logs.exporter", "none");
        return properties;
    }

    /**
     * Looks at what OpenTelemetry would accept and not do, or refuse with words that say too much.
     *
     * @throws IllegalArgumentException with the setting and the rule, and no value that may be a secret
     */
    void check() {
        for (String name : ENDPOINTS) {
            if (settings.containsKey(name) && !isUsable(settings.get(name))) {
                throw new IllegalArgumentException(
                        PREFIX + name + " must be an http or https URL without user or password");
            }
        }
        for (String name : PROTOCOLS) {
            if (!PROTOCOL.equals(settings.getOrDefault(name, PROTOCOL))) {
                throw new IllegalArgumentException(
                        PREFIX + name + " can be " + PROTOCOL + " and nothing else, not [" + settings.get(name) + "]");
            }
        }
        for (String name : HEADERS) {
            boolean good = Arrays.stream(settings.getOrDefault(name, "").split(",", -1))
                    .allMatch(pair -> pair.isBlank() || pair.strip().indexOf('=') > 0);
            if (!good) {
                throw new IllegalArgumentException(
                        PREFIX + name + " must be names and values as name=value, with commas between them");
            }
        }
    }

    /** What OpenTelemetry says is wrong, as one line that names the setting and shows no header. */
    String problem(Throwable failure) {
        String words = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            words = words(cause);
            String name = named(words);
            if (name != null) {
                return PREFIX + name + " cannot be used: " + words;
            }
        }
        return "mcp.otel: " + words;
    }

    private String words(Throwable cause) {
        String words = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        for (String name : HEADERS) {
            String secret = settings.get(name);
            words = secret == null ? words : words.replace(secret, "…");
        }
        return words.replaceAll("\\s*\\R\\s*", " ").strip();
    }

    private @Nullable String named(String words) {
        Matcher matcher = PROPERTY.matcher(words);
        while (matcher.find()) {
            String name = matcher.group().substring("otel.".length()).replace('.', '-');
            if (settings.containsKey(name)) {
                return name;
            }
        }
        return null;
    }

    private String value(String name) {
        return settings.getOrDefault(name, "").strip().toLowerCase(Locale.ROOT);
    }

    private static boolean isUsable(String endpoint) {
        try {
            URI uri = URI.create(endpoint.strip());
            return uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && ("http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme()));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
