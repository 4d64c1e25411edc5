package dev.weir.app;

import dev.weir.alert.AlertClocks;
import dev.weir.alert.AlertTarget;
import dev.weir.alert.Alerts;
import dev.weir.settings.AlertSettings;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Sends a test to the receivers of alerts that the settings name, and says what came of it. */
public final class AlertTrial {

    /**
     * What one receiver made of it.
     *
     * @param target  its name
     * @param format  what it takes
     * @param failure why it was not delivered; empty if it was
     */
    public record Outcome(String target, String format, String failure) {}

    private AlertTrial() {}

    /**
     * Sends one test to each, at the same time, and waits for what comes of it.
     *
     * @param only the name of the one receiver that gets it
     * @return empty if the settings name no receiver
     * @throws SettingsException if there is none of that name
     */
    public static List<Outcome> run(Settings settings, Optional<String> only) {
        List<AlertTarget> targets = AlertSettings.targets(settings.alert()).stream()
                .filter(target -> only.isEmpty() || only.get().equals(target.name()))
                .toList();
        if (targets.isEmpty() && only.isPresent()) {
            throw new SettingsException("there is no target of alerts of the name [" + only.get() + "]");
        }
        AlertClocks clocks = new AlertClocks(Clock.systemUTC(), System::nanoTime);
        Map<AlertTarget, CompletableFuture<String>> sent = new LinkedHashMap<>();
        List<Outcome> outcomes = new ArrayList<>();
        try (AlertLink.Threads threads = AlertLink.Threads.of(targets.size())) {
            for (AlertTarget target : targets) {
                String id = UUID.randomUUID().toString();
                sent.put(target, Alerts.test(target, NodeName.hostName(), id, threads.forAlerts(), clocks));
            }
            sent.forEach((target, failure) ->
                    outcomes.add(new Outcome(target.name(), target.format().word(), failure.join())));
        }
        return outcomes;
    }
}
