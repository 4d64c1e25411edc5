package dev.weir.settings;

import dev.weir.alert.AlertEvent;
import dev.weir.alert.AlertFormat;
import dev.weir.alert.AlertTarget;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** The receivers of alerts that the settings name. No address and no secret is shown, whatever is wrong with them. */
public final class AlertSettings {

    /** The name of the receiver that has no other. */
    static final String WEBHOOK = "webhook";

    /** The most receivers. */
    static final int MOST = 32;

    private static final String TARGETS = "mcp.alert.targets.";

    private AlertSettings() {}

    /** @throws SettingsException if any of it cannot be used */
    static void check(Settings settings) {
        targets(settings.alert());
    }

    /**
     * The receivers: the one that has no other name, and then those that have, in the order of their names.
     *
     * @throws SettingsException with one line that names the setting and the rule
     */
    public static List<AlertTarget> targets(Settings.Alert settings) {
        List<AlertTarget> targets = new ArrayList<>();
        String secret = settings.webhookSecret().orElse(null);
        if (settings.webhookUrl().isPresent()) {
            String url = settings.webhookUrl().get();
            try {
                targets.add(new AlertTarget(WEBHOOK, url, AlertFormat.JSON, secret, AlertTarget.Wishes.USUAL));
            } catch (IllegalArgumentException e) {
                throw new SettingsException("mcp.alert.webhook-" + e.getMessage());
            }
        } else if (secret != null) {
            throw new SettingsException("mcp.alert.webhook-secret is of no use without mcp.alert.webhook-url");
        }
        new TreeMap<>(settings.targets()).forEach((name, target) -> {
            if (name.equals(WEBHOOK) && settings.webhookUrl().isPresent()) {
                throw new SettingsException(TARGETS + WEBHOOK + " is the name of mcp.alert.webhook-url: take another");
            }
            targets.add(target(name, target));
        });
        if (targets.size() > MOST) {
            throw new SettingsException(
                    TARGETS + "… must be " + MOST + " at most with mcp.alert.webhook-url, not " + targets.size());
        }
        return targets;
    }

    private static AlertTarget target(String name, Settings.AlertTarget settings) {
        String key = TARGETS + name + ".";
        AlertFormat format;
        try {
            format = AlertFormat.of(settings.format());
        } catch (IllegalArgumentException e) {
            throw new SettingsException(key + "format " + e.getMessage());
        }
        Set<AlertEvent> events = EnumSet.noneOf(AlertEvent.class);
        for (String word : settings.events().orElse(Set.of())) {
            try {
                events.add(AlertEvent.of(word));
            } catch (IllegalArgumentException e) {
                throw new SettingsException(key + "events " + e.getMessage());
            }
        }
        try {
            AlertTarget.Wishes wishes = new AlertTarget.Wishes(
                    settings.events().isPresent() ? events : AlertEvent.USUAL,
                    settings.routes().orElse(null));
            return new AlertTarget(
                    name, settings.url(), format, settings.secret().orElse(null), wishes);
        } catch (IllegalArgumentException e) {
            throw new SettingsException(key + e.getMessage());
        }
    }
}
