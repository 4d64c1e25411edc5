package dev.weir.settings;

import dev.weir.log.LogOutput;
import dev.weir.web.LogDetail;
import java.util.Set;

/** What the settings say of the log. */
public final class LogSettings {

    private LogSettings() {}

    /** @throws SettingsException if any of it cannot be used */
    static void check(Settings settings) {
        try {
            LogOutput.check(settings.log().format());
        } catch (IllegalArgumentException e) {
            throw new SettingsException("mcp.log.format must be " + e.getMessage());
        }
        detail(settings);
    }

    /** How much the lines of a request tell. */
    public static LogDetail detail(Settings settings) {
        try {
            return LogDetail.of(
                    settings.debug(), settings.log().responseHeaders().orElse(Set.of()));
        } catch (IllegalArgumentException e) {
            throw new SettingsException("mcp.log.response-headers: " + e.getMessage());
        }
    }
}
