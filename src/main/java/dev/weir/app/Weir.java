package dev.weir.app;

import dev.weir.admin.Sessions;
import dev.weir.ban.BanBook;
import dev.weir.gate.Decisions;
import dev.weir.gate.Gatekeeper;
import dev.weir.gate.Strays;
import dev.weir.limit.BucketSnapshots;
import dev.weir.limit.LocalBuckets;
import dev.weir.policy.PolicyBook;
import dev.weir.proxy.ProxyServlet;
import dev.weir.settings.LogSettings;
import dev.weir.settings.Settings;
import dev.weir.settings.StaticPolicy;
import dev.weir.settings.UpstreamTls;
import dev.weir.store.Database;
import dev.weir.store.DatabaseUnavailableException;
import dev.weir.store.JdbcBanHistory;
import dev.weir.store.JdbcBucketSnapshots;
import dev.weir.store.JdbcNodes;
import dev.weir.store.JdbcPolicyStore;
import dev.weir.store.JdbcSecrets;
import dev.weir.store.OldHistory;
import dev.weir.store.WriteQueue;
import dev.weir.telemetry.Telemetry;
import dev.weir.web.Insiders;
import dev.weir.web.MetricsServlet;
import dev.weir.web.ProbeServlet;
import dev.weir.web.RequestLog;
import dev.weir.web.ResourceMetadata;
import jakarta.servlet.Filter;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds every object of the web application in order, and closes them in reverse: the wiring, and nothing else. */
final class Weir implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Weir.class);

    /** The most principals with buckets of their own; those beyond share one account. */
    private static final int MAX_PRINCIPALS = 1_000_000;

    /** The most addresses of unproven callers with buckets of their own, so that a flood of them takes nobody else's room. */
    private static final int MAX_UNPROVEN = 100_000;

    private static final Duration POLICY_PAUSE = Duration.ofMillis(250);
    private static final Duration SAVE_PAUSE = Duration.ofSeconds(1);
    private static final Duration HISTORY_PAUSE = Duration.ofSeconds(1);
    private static final Duration SLOW_SWEEP_PAUSE = Duration.ofSeconds(10);
    private static final Duration PRECEDENTS_PAUSE = Duration.ofSeconds(30);
    private static final Duration PURGE_PAUSE = Duration.ofMinutes(1);
    private static final Duration OPENING_PATIENCE = Duration.ofSeconds(10);
    private static final Duration RETENTION_PAUSE = Duration.ofSeconds(5);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

    private final Clock clock = Clock.systemUTC();
    private final RequestLog log;
    private final Database database;
    private final WriteQueue writes;
    private final Thread writer;
    private final JdbcBucketSnapshots snapshots;
    private final LocalBuckets buckets;
    private final LocalBuckets unproven;
    private final PolicyBook policies;
    private final PolicyKeeper keeper;
    private final BanBook bans;
    private final ThrottleKeeper throttles;
    private final Metrics metrics;
    private final WayOut out;
    private final ScheduledExecutorService timer;
    private final Background background = new Background();
    private final Changes changes;
    private final Opening opening;
    private final Probes probes;
    private final IssuerLink issuer;
    private final TraceLink traces;
    private final AlertLink alerts;
    private final List<Filter> filters;
    private final OperatorTokens tokens;
    private final Sessions sessions;
    private final LiveDesk live;
    private final @Nullable AdminDesk admin;
    private final MetricsServlet metricsServlet;
    private final ProbeServlet healthServlet;
    private final ResourceMetadata resourceMetadata;

    /**
     * Builds everything, and starts to open the database, without waiting for it.
     *
     * @param seed puts rows into the fresh database before the policy is read; null for none
     * @throws DatabaseUnavailableException if there can be no such database, however long one waits
     */
    static Weir start(Settings settings, @Nullable Consumer<Jdbi> seed) throws DatabaseUnavailableException {
        // All that may be wrong with the settings before anything is started.
        Map<String, SSLContext> tls = UpstreamTls.of(settings);
        Database database = Database.at(Databases.of(settings));
        return new Weir(settings, tls, database, new Seed(seed), TraceLink.start(settings.otel(), Clock.systemUTC()));
    }

    /** Waits a while for everything to be ready, but no longer, because the database may be away. */
    void awaitReady() {
        opening.await(OPENING_PATIENCE);
    }

    private Weir(Settings settings, Map<String, SSLContext> tls, Database database, Seed seed, TraceLink traces) {
        AdminToken token = AdminToken.keep(settings.admin().token(), settings.dataDir());
        log = new RequestLog(System::nanoTime, LogSettings.detail(settings));
        this.database = database;
        this.traces = traces;
        writes = WriteQueue.keeping(database);
        writer = new Thread(writes, "weir-writer");
        writer.setDaemon(true);
        writer.start();
        snapshots = new JdbcBucketSnapshots(database, clock);
        buckets = new LocalBuckets(MAX_PRINCIPALS, System::nanoTime);
        unproven = new LocalBuckets(MAX_UNPROVEN, System::nanoTime);
        policies = new PolicyBook(StaticPolicy.none(settings), clock);
        tokens = new OperatorTokens(token, policies);
        NodeName name = NodeName.make(clock.instant());
        String node = name.host();
        alerts = AlertLink.start(settings.alert(), node, clock);
        keeper =
                new PolicyKeeper(new JdbcPolicyStore(database), StaticPolicy.base(settings), policies, alerts.policy());
        BanJournal journal = new BanJournal();
        bans = new BanBook(
                new JdbcBanHistory(database, writes, node),
                alerts.and(journal),
                clock,
                System::nanoTime,
                () -> UUID.randomUUID().toString());
        throttles = new ThrottleKeeper(database, node, clock, System::nanoTime);
        Strays strays = new Strays(clock);
        Decisions decisions = new Decisions(throttles.tally(), strays);
        out = new WayOut(settings, tls, policies, alerts.breakers(), clock);
        sessions = AdminDesk.sessions(settings, clock);
        Runnable reread = takeOnChores();
        changes = new Changes(database, reread);
        opening = new Opening(() -> open(seed));
        DatabaseWatch watch = new DatabaseWatch(opening, background.database(), writes, throttles, changes);
        Conditions conditions = new Conditions(keeper, watch, out);
        conditions.add(alerts);
        live = new LiveDesk(
                name,
                conditions,
                new LiveDesk.Deciding(policies, buckets, bans, decisions, strays),
                new JdbcNodes(database),
                clock);
        live.takeOn(background.database());
        background.memory().every(SLOW_SWEEP_PAUSE, "strays", strays::sweep);
        // From here on beside the rest, which takes its time as well.
        opening.start();
        alerts.watch(watch);
        issuer = IssuerLink.start(settings.auth(), clock);
        conditions.add(issuer);
        probes = new Probes(conditions);
        metrics = metrics(decisions, journal, watch);
        metrics.add(out.exchanges());
        metrics.add(out.routes());
        metrics.add(out.targets());
        metrics.add(issuer);
        AlertMeters.add(alerts, metrics);
        Front front = new Front(settings, log, issuer, traces);
        Insiders insiders = front.insiders(tokens);
        metricsServlet = new MetricsServlet(metrics, insiders);
        healthServlet = new ProbeServlet(insiders, probes::health, probes::healthWithoutAddresses);
        resourceMetadata = front.metadata(policies);
        AdminWork work = new AdminWork()
                .add(live.operations())
                .addHistory(database, bans, policies, clock)
                .addPolicy(database, policies, StaticPolicy.base(settings), reread);
        admin = settings.admin().enabled()
                ? new AdminDesk(settings, tokens, sessions, front.approach(), work.all())
                : null;
        timer = Background.threads("weir-timer", 1);
        Chore repeated = new Chore("repeated refusals", log::tellRepeated, System::nanoTime);
        // Also before anything is ready, when all is refused.
        var unused = timer.scheduleWithFixedDelay(repeated, 1, 1, TimeUnit.SECONDS);
        Telemetry telemetry = new Telemetry(metrics.registry(), System::nanoTime, traces.tracing());
        metrics.follow(telemetry);
        Gatekeeper gate = new Gatekeeper(policies, buckets, unproven, bans, decisions);
        filters = front.filters(policies, gate, out, probes, telemetry, timer);
        LOG.atInfo().addKeyValue("admin_token", token.place()).log("started");
    }

    /** What has to be in memory before anybody is served. May be run again after a failure. */
    private void open(Seed seed) throws DatabaseUnavailableException {
        database.connect();
        seed.sow(database.jdbi());
        JdbcSecrets secrets = new JdbcSecrets(database);
        out.use(secrets.get("session", freshKey()));
        sessions.use(secrets.get("admin", freshKey()));
        keeper.refresh();
        restore();
        background.start();
        changes.start();
        LOG.atInfo().log("opened");
    }

    /** Takes over what there is from before; buckets and bans side by side, because there may be very many of both. */
    private void restore() {
        CompletableFuture<Void> restoring = background.beside(() -> buckets.restoreFrom(snapshots));
        LOG.atInfo().addKeyValue("bans", bans.restore()).log("bans_loaded");
        bans.refreshPrecedents(policies.current().banRule());
        restoring.join();
        LOG.atInfo().addKeyValue("principals", buckets.principals()).log("buckets_loaded");
    }

    /** The filters in front of the proxy, in their order. */
    List<Filter> filters() {
        return filters;
    }

    /** The servlet behind the filters. */
    ProxyServlet proxy() {
        return out.proxy();
    }

    /** The servlet that tells the numbers. */
    MetricsServlet metrics() {
        return metricsServlet;
    }

    /** The servlet that tells how things are. */
    ProbeServlet health() {
        return healthServlet;
    }

    /** The servlet that tells who gives tokens. */
    ResourceMetadata resourceMetadata() {
        return resourceMetadata;
    }

    /** What operators use; empty if it is switched off. */
    Optional<AdminDesk> admin() {
        return Optional.ofNullable(admin);
    }

    /** What the probes are told. */
    Probes probes() {
        return probes;
    }

    /** Ends serving: to be called while requests still come, if whoever embeds Weir can; {@link #close} does it as well. */
    void stopServing() {
        out.stop().run();
    }

    @Override
    public void close() {
        stopServing();
        opening.close();
        changes.close();
        background.stop();
        timer.shutdown();
        issuer.close();
        out.close();
        live.close();
        admin().ifPresent(AdminDesk::close);
        try {
            background.awaitEnd(STOP_PATIENCE);
            if (opening.missing() == null) {
                saveBuckets();
                live.leave();
            }
            if (writes.stop(STOP_PATIENCE)) {
                writer.join(STOP_PATIENCE.toMillis());
            } else {
                LOG.atError().addKeyValue("writes", writes.length()).log("bans_not_written");
            }
            throttles.close(STOP_PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // After what has to be written, because receivers and collectors may be slow.
            alerts.close();
            traces.close();
            metrics.close();
            database.close();
            log.close();
        }
        LOG.atInfo().log("stopped");
    }

    /** For the last time; what else is to be written is written all the same. */
    private void saveBuckets() {
        try {
            buckets.saveTo(snapshots);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("buckets_not_saved");
        }
    }

    private Metrics metrics(Decisions decisions, BanJournal journal, DatabaseWatch watch) {
        Metrics all = new Metrics(decisions, keeper, policies::current);
        all.addLog();
        all.add(Runtime.getRuntime(), clock.millis());
        all.add(journal);
        all.add(buckets);
        all.add(bans);
        all.add(writes, throttles);
        all.add(watch);
        return all;
    }

    /** What operators can do, beside logging in and out. */
    /** @return reads the policy and the bans again */
    private Runnable takeOnChores() {
        Housekeeper chores = background.database();
        Chore policy = chores.every(POLICY_PAUSE, "policy", keeper::refresh);
        Chore following = chores.every(POLICY_PAUSE, "bans", bans::refresh);
        chores.every(SAVE_PAUSE, "buckets", () -> buckets.saveTo(snapshots));
        chores.every(
                PRECEDENTS_PAUSE,
                "precedents",
                () -> bans.refreshPrecedents(policies.current().banRule()));
        chores.every(PURGE_PAUSE, "old buckets", snapshots::purge);
        HistoryCleaner cleaner = new HistoryCleaner(
                new OldHistory(database), () -> keeper.isLoaded() ? policies.current() : null, clock);
        chores.every(RETENTION_PAUSE, "retention", cleaner::clean);
        Housekeeper inMemory = background.memory();
        inMemory.every(SAVE_PAUSE, "unproven", () -> unproven.saveTo(BucketSnapshots.NONE));
        inMemory.every(HISTORY_PAUSE, "history", throttles::keep);
        out.takeOn(inMemory);
        inMemory.every(SLOW_SWEEP_PAUSE, "memory", () -> {
            buckets.sweep();
            unproven.sweep();
            bans.sweep(policies.current().banRule());
            tokens.sweep();
        });
        return () -> {
            policy.run();
            following.run();
        };
    }

    private static byte[] freshKey() {
        byte[] key = new byte[JdbcSecrets.LENGTH];
        new SecureRandom().nextBytes(key);
        return key;
    }
}
