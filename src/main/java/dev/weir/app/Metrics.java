package dev.weir.app;

import dev.weir.ban.BanBook;
import dev.weir.gate.Decisions;
import dev.weir.limit.LocalBuckets;
import dev.weir.log.LogOutput;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyProblem;
import dev.weir.policy.Route;
import dev.weir.proxy.Exchanges;
import dev.weir.store.WriteQueue;
import dev.weir.telemetry.Telemetry;
import dev.weir.upstream.Targets;
import dev.weir.web.MetricsServlet;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of this process for whoever collects them, as Prometheus text or OpenMetrics. They are read from where they are counted
 * anyway, when somebody asks. No client is ever a label. Safe for use by many threads.
 */
final class Metrics implements MetricsServlet.Numbers, AutoCloseable {

    /** The most reasons that are told, because each is a time series to whoever collects the numbers. */
    private static final int MOST_PROBLEMS = 20;

    private static final double MILLIS = 1_000;
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS_NAME = "application/openmetrics-text";
    private static final String OPEN_METRICS = OPEN_METRICS_NAME + "; version=1.0.0; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Set<Tags> known = ConcurrentHashMap.newKeySet();
    private final MultiGauge problems = MultiGauge.builder("weir.policy.problem")
            .description("1 for each reason why the rows in the tables make no policy, and the last good one stays.")
            .register(registry);
    private final Decisions decisions;
    private final PolicyKeeper policy;
    private volatile @Nullable BreakerMeters breakers;
    private final Supplier<Policy> policies;
    private final ToolMeters tools;
    private volatile @Nullable TargetMeters upstreams;
    private volatile @Nullable Telemetry telemetry;

    /** @param policies what is in force */
    Metrics(Decisions decisions, PolicyKeeper policy, Supplier<Policy> policies) {
        this.decisions = decisions;
        this.policy = policy;
        this.policies = policies;
        this.tools = new ToolMeters(decisions, registry);
        gauge(
                "weir.policy.in.force",
                Tags.empty(),
                "1 while the policy in force is what the tables say, else 0.",
                policy,
                keeper -> keeper.isLoaded() && keeper.problems().isEmpty() ? 1 : 0);
        decisions("admit", "", Decisions::admitted);
        decisions("shut", "", Decisions::shut);
        decisions("forbid", "", Decisions::forbidden);
        decisions.throttled().keySet().forEach(this::level);
    }

    /** Adds the number of lines that the log lacks. */
    void addLog() {
        counter(
                "weir.log.lines.dropped",
                Tags.empty(),
                "Lines that the log lacks, because whoever reads it did not keep up.",
                this,
                all -> LogOutput.droppedLines());
    }

    /**
     * Adds what every process has.
     *
     * @param startMillis when it started, on the wall clock
     */
    void add(Runtime process, long startMillis) {
        gauge("weir.start.time.seconds", Tags.empty(), "When Weir started.", process, any -> startMillis / MILLIS);
        String help = "The memory of the Java heap";
        gauge("weir.memory.used.bytes", Tags.empty(), help + ", what is used of it.", process, Metrics::used);
        gauge("weir.memory.max.bytes", Tags.empty(), help + ", the most there can be.", process, Runtime::maxMemory);
    }

    private static long used(Runtime process) {
        return process.totalMemory() - process.freeMemory();
    }

    /** Adds the number of bans. */
    void add(BanJournal journal) {
        counter("weir.bans", Tags.empty(), "Bans that this node has made.", journal, BanJournal::made);
    }

    /** Adds the numbers about memory. */
    void add(LocalBuckets buckets) {
        gauge("weir.principals", Tags.empty(), "Callers that owe tokens now.", buckets, LocalBuckets::principals);
        counter(
                "weir.principals.overflowed",
                Tags.empty(),
                "Takes of callers for whom there was no bucket of their own left.",
                buckets,
                LocalBuckets::overflowed);
    }

    /** Adds the numbers about bans that hold, and about strikes. */
    void add(BanBook bans) {
        gauge("weir.bans.active", Tags.empty(), "Bans that hold now.", bans, BanBook::active);
        counter(
                "weir.strikes.uncounted",
                Tags.empty(),
                "Throttles that could be no strikes, because too many callers had some.",
                bans,
                BanBook::uncounted);
    }

    /** Adds the numbers about what is on its way into the database. */
    void add(WriteQueue banWrites, ThrottleKeeper throttles) {
        String help = "What waits to be written: bans, or rows of throttles.";
        gauge("weir.write.queue.length", Tags.of("queue", "bans"), help, banWrites, WriteQueue::length);
        gauge("weir.write.queue.length", Tags.of("queue", "throttles"), help, throttles, ThrottleKeeper::waiting);
        counter(
                "weir.throttle.rows.dropped",
                Tags.empty(),
                "Throttled calls that the history lacks, because their rows were dropped.",
                throttles,
                ThrottleKeeper::dropped);
    }

    /** Adds how it stands with the database. */
    void add(DatabaseWatch database) {
        gauge(
                "weir.database.up",
                Tags.empty(),
                "1 while the database does all that is asked of it, else 0.",
                database,
                watch -> watch.isUp() ? 1 : 0);
        if (database.listener() != Changes.State.NONE) {
            gauge(
                    "weir.change.listener.up",
                    Tags.empty(),
                    "1 while the database tells of changes, 0 while they are found by looking.",
                    database,
                    watch -> watch.listener() == Changes.State.LISTENING ? 1 : 0);
        }
    }

    /** Adds the numbers of the routes' breakers. */
    void add(PolicyRoutes routes) {
        breakers = new BreakerMeters(routes, registry);
    }

    /** Adds how it stands with the authorization server, if there is one. */
    void add(IssuerLink issuer) {
        if (issuer.name() != null) {
            gauge(
                    "weir.issuer.up",
                    Tags.empty(),
                    "1 while the issuer of tokens tells its keys, else 0: the last good ones hold then.",
                    issuer,
                    link -> link.isAway() ? 0 : 1);
            gauge(
                    "weir.issuer.keys.age.seconds",
                    Tags.empty(),
                    "How long ago the issuer of tokens has told its keys.",
                    issuer,
                    IssuerLink::keysAgeSeconds);
        }
    }

    /** Adds which targets are up. */
    void add(Targets targets) {
        upstreams = new TargetMeters(targets, registry);
    }

    /** Where numbers are kept that others write. */
    MeterRegistry registry() {
        return registry;
    }

    /** Forgets what was measured and counted of routes and tools, when they are no more. */
    void follow(Telemetry times) {
        telemetry = times;
    }

    /** Adds the requests that are under way. */
    void add(Exchanges exchanges) {
        String help = "Requests that are on their way to an upstream or back: calls, and streams that stay open.";
        gauge("weir.exchanges", Tags.of("kind", "call"), help, exchanges, Exchanges::calls);
        gauge("weir.exchanges", Tags.of("kind", "stream"), help, exchanges, all -> all.size() - all.calls());
    }

    @Override
    public MetricsServlet.Page now(@Nullable String accept) {
        refresh();
        String type = accept != null && accept.contains(OPEN_METRICS_NAME) ? OPEN_METRICS : PROMETHEUS;
        return new MetricsServlet.Page(type, registry.scrape(type));
    }

    private void refresh() {
        Telemetry times = telemetry;
        if (times != null) {
            List<Route> routes = policies.get().routes();
            times.retain(routes.stream().map(Route::prefix).collect(Collectors.toSet()));
            decisions.retain(routes);
        }
        tools.refresh();
        decisions.wouldThrottle().keySet().forEach(this::tier);
        problems.register(
                policy.problems().stream()
                        .limit(MOST_PROBLEMS)
                        .map(Metrics::row)
                        .toList(),
                true);
        BreakerMeters circuits = breakers;
        if (circuits != null) {
            circuits.refresh();
        }
        TargetMeters up = upstreams;
        if (up != null) {
            up.refresh();
        }
    }

    private static MultiGauge.Row<Number> row(PolicyProblem problem) {
        return MultiGauge.Row.of(Tags.of("table", problem.table(), "row", problem.row(), "rule", problem.rule()), 1);
    }

    @Override
    public void close() {
        registry.close();
    }

    private void level(String level) {
        decisions("throttle", level, all -> all.throttled().getOrDefault(level, 0L));
    }

    private void tier(String tier) {
        Tags tags = Tags.of("tier", tier);
        if (known.add(tags)) {
            counter(
                    "weir.would.throttle",
                    tags,
                    "Calls that a tier in shadow mode would have refused.",
                    decisions,
                    all -> all.wouldThrottle().getOrDefault(tier, 0L));
        }
    }

    private void decisions(String decision, String level, ToDoubleFunction<Decisions> count) {
        Tags tags = Tags.of("decision", decision, "level", level);
        counter("weir.decisions", tags, "What the gate has decided, call by call.", decisions, count);
    }

    <T> void counter(String name, Tags tags, String help, T source, ToDoubleFunction<T> count) {
        FunctionCounter.builder(name, source, count)
                .tags(tags)
                .description(help)
                .register(registry);
    }

    <T> void gauge(String name, Tags tags, String help, T source, ToDoubleFunction<T> value) {
        Gauge.builder(name, source, value).tags(tags).description(help).register(registry);
    }
}
