package dev.weir.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One histogram of times for each route and one more word, of which there are few. Routes that come after the first {@link
 * #MAX_ROUTES} share one, because each is many time series to whoever collects the numbers. Safe for use by many threads.
 */
final class Timers {

    static final int MAX_ROUTES = 200;

    /** Stands for all routes that have none of their own. */
    static final String OTHER = "other";

    private final MeterRegistry registry;
    private final String name;
    private final String label;
    private final String help;
    private final Duration[] buckets;

    private final Map<String, Map<String, Timer>> timers = new ConcurrentHashMap<>();

    /**
     * @param label   what the second word is called
     * @param buckets the bounds of the histogram, from the least to the greatest
     */
    Timers(MeterRegistry registry, String name, String label, String help, Duration... buckets) {
        this.registry = registry;
        this.name = name;
        this.label = label;
        this.help = help;
        this.buckets = buckets.clone();
    }

    Timer of(String route, String word) {
        Map<String, Timer> words = timers.get(route);
        if (words == null) {
            String own = timers.size() < MAX_ROUTES ? route : OTHER;
            words = timers.computeIfAbsent(own, first -> new ConcurrentHashMap<>());
            return words.computeIfAbsent(word, first -> timer(own, word));
        }
        Timer timer = words.get(word);
        return timer != null ? timer : words.computeIfAbsent(word, first -> timer(route, word));
    }

    /** Forgets the routes that are no more. */
    void retain(Set<String> routes) {
        timers.entrySet().removeIf(ofRoute -> {
            String route = ofRoute.getKey();
            boolean gone = !route.isEmpty() && !route.equals(OTHER) && !routes.contains(route);
            if (gone) {
                ofRoute.getValue().values().forEach(registry::remove);
            }
            return gone;
        });
    }

    private Timer timer(String route, String word) {
        return Timer.builder(name)
                .tags("route", route, label, word)
                .description(help)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }
}
