package dev.weir.settings;

import dev.weir.policy.NamedSettings;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of which there may be any number, because an operator chooses a part of their names. An environment variable
 * cannot say where such a name begins and ends, so these are looked for by their fixed parts.
 */
final class NamedKeys {

    private record Family(Pattern key, Pattern variable, String template, boolean secret) {

        static Family of(String template, boolean secret) {
            String variable = template.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT);
            return new Family(
                    Pattern.compile(template.replace(".", "\\.").replace("*", "([A-Za-z0-9_-]+)")),
                    Pattern.compile(variable.replace("*", "([A-Z0-9_]+)")),
                    template,
                    secret);
        }

        String key(String name) {
            return template.replace("*", NamedSettings.key(name));
        }
    }

    /** Passwords before what their keys begin with. */
    private static final List<Family> FAMILIES = List.of(
            Family.of("mcp.upstream-tls.*.trust-store-password", true),
            Family.of("mcp.upstream-tls.*.key-store-password", true),
            Family.of("mcp.upstream-tls.*.trust-store", false),
            Family.of("mcp.upstream-tls.*.key-store", false),
            Family.of("mcp.alert.targets.*.url", true),
            Family.of("mcp.alert.targets.*.secret", true),
            Family.of("mcp.alert.targets.*.format", false),
            Family.of("mcp.alert.targets.*.events", false),
            Family.of("mcp.alert.targets.*.routes", false),
            Family.of("mcp.otel.*", false),
            Family.of("mcp.secrets.*", true));

    private NamedKeys() {}

    /** The template of a key, with a star for the chosen part; the key itself where no part of it is chosen. */
    static String template(String key) {
        for (Family family : FAMILIES) {
            if (family.key().matcher(key).matches()) {
                return family.template();
            }
        }
        return key;
    }

    /** The same keys and values, with chosen parts in the form in which they are compared. */
    static Map<String, String> inOneForm(Map<String, String> properties) {
        Map<String, String> same = new HashMap<>();
        properties.forEach((key, value) -> {
            String form = key;
            for (Family family : FAMILIES) {
                Matcher matcher = family.key().matcher(key);
                if (matcher.matches()) {
                    form = family.key(matcher.group(1));
                }
            }
            same.put(form, value);
        });
        return same;
    }

    /** Takes the variables that are such settings out of an environment; each then stands under its key. */
    static Map<String, String> takeFrom(Map<String, String> environment) {
        Map<String, String> taken = new LinkedHashMap<>();
        for (String variable : List.copyOf(environment.keySet())) {
            String key = key(variable);
            if (key != null) {
                taken.put(key, environment.remove(variable));
            }
        }
        return taken;
    }

    /** Whether a variable holds a secret, which may also be given as the name of a file. */
    static boolean isSecret(String variable) {
        return FAMILIES.stream()
                .anyMatch(family ->
                        family.secret() && family.variable().matcher(variable).matches());
    }

    private static @Nullable String key(String variable) {
        for (Family family : FAMILIES) {
            Matcher matcher = family.variable().matcher(variable);
            if (matcher.matches()) {
                return family.key(matcher.group(1));
            }
        }
        return null;
    }
}
