package dev.weir.policy;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the settings hold for rows to use by name. Names are compared without regard to case, and to whether their words are
 * joined by hyphens or underscores, because environment variables cannot tell these apart. Immutable; its text shows no secret.
 *
 * @param tls     the names of trust stores and certificates
 * @param secrets the secrets by their names
 */
public record NamedSettings(Set<String> tls, Map<String, String> secrets) {

    /** Nothing. */
    public static final NamedSettings NONE = new NamedSettings(Set.of(), Map.of());

    /** @throws IllegalArgumentException if a name is not in the form of {@link #key} */
    public NamedSettings {
        tls = Set.copyOf(tls);
        secrets = Map.copyOf(secrets);
        for (Set<String> names : List.of(tls, secrets.keySet())) {
            for (String name : names) {
                if (!name.equals(key(name))) {
                    throw new IllegalArgumentException("[" + name + "] is not in the form of a key");
                }
            }
        }
    }

    /** The form in which names are kept. */
    public static String key(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean hasTls(String name) {
        return tls.contains(key(name));
    }

    @Nullable
    String secret(String name) {
        return secrets.get(key(name));
    }

    @Override
    public String toString() {
        return "NamedSettings[tls=" + tls + ", secrets=" + secrets.keySet() + "]";
    }
}
