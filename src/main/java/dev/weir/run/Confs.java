package dev.weir.run;

import dev.weir.app.Databases;
import dev.weir.auth.ClientAddress;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsLoader;
import dev.weir.store.DatabaseSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settings as the command line modifies them. */
final class Confs {

    private static final Map<String, String> DEMO = Map.of("mcp.auth.required", "false", "mcp.host", "127.0.0.1");

    private Confs() {}

    /** The settings to serve with. */
    static Settings serve(@Nullable Path conf, @Nullable Integer port, boolean demo) {
        SettingsLoader loader = loader();
        Map<String, String> commandLine = new HashMap<>();
        if (port != null) {
            commandLine.put("mcp.port", port.toString());
        }
        if (!demo) {
            return loader.load(conf, commandLine, Map.of());
        }
        Settings settings = loader.load(conf, commandLine, DEMO);
        // Anonymous callers are let in only where nobody but this machine can call, unless it has been said otherwise.
        return isLoopback(settings) ? settings : loader.load(conf, commandLine, Map.of());
    }

    private static boolean isLoopback(Settings settings) {
        String host = settings.host().orElse("");
        return host.equals("localhost") || ClientAddress.isLoopback(host);
    }

    /** The database that a one-shot command works on. */
    static DatabaseSettings database(Optional<Path> conf) {
        return Databases.of(read(conf));
    }

    /** The settings of a one-shot command. */
    static Settings read(Optional<Path> conf) {
        return loader().load(conf.orElse(null), Map.of());
    }

    private static SettingsLoader loader() {
        return SettingsLoader.ofThisProcess(warning -> System.err.println("weir: " + warning));
    }
}
