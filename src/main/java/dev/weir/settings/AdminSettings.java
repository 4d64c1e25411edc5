package dev.weir.settings;

import dev.weir.auth.AddressBlocks;
import java.util.Set;

/** What the settings say of the operators' API and console. */
public final class AdminSettings {

    /** What a token must have, because everything is open to whoever guesses it. */
    static final int SHORTEST_TOKEN = 20;

    private static final int LONGEST_IDLE_MINUTES = 24 * 60;
    private static final int LONGEST_HOURS = 7 * 24;

    private AdminSettings() {}

    /** @throws SettingsException if any of it cannot be used; it never shows the token */
    static void check(Settings settings) {
        Settings.Admin admin = settings.admin();
        admin.token().ifPresent(AdminSettings::token);
        range("mcp.admin.session-idle-minutes", admin.sessionIdleMinutes(), LONGEST_IDLE_MINUTES);
        range("mcp.admin.session-hours", admin.sessionHours(), LONGEST_HOURS);
        addresses(settings);
    }

    /** From where it can be reached; {@link AddressBlocks#ALL} if nothing is said. */
    public static AddressBlocks addresses(Settings settings) {
        try {
            Set<String> entries = settings.admin().allowedAddresses().orElse(Set.of());
            return entries.isEmpty() ? AddressBlocks.ALL : AddressBlocks.of(entries);
        } catch (IllegalArgumentException e) {
            throw new SettingsException("mcp.admin.allowed-addresses: " + e.getMessage());
        }
    }

    private static void token(String token) {
        if (token.length() < SHORTEST_TOKEN || !token.chars().allMatch(next -> next > ' ' && next < 0x7f)) {
            throw new SettingsException("mcp.admin.token must be at least " + SHORTEST_TOKEN
                    + " characters of ASCII without blanks; it is not shown here");
        }
    }

    private static void range(String key, int value, int most) {
        if (value < 1 || value > most) {
            throw new SettingsException(key + " must be from 1 to " + most + ", not " + value);
        }
    }
}
