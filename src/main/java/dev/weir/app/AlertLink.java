package dev.weir.app;

import dev.weir.alert.AlertClocks;
import dev.weir.alert.AlertRules;
import dev.weir.alert.AlertState;
import dev.weir.alert.AlertTarget;
import dev.weir.alert.AlertThreads;
import dev.weir.alert.Alerts;
import dev.weir.alert.HouseNews;
import dev.weir.ban.BanWatch;
import dev.weir.policy.PolicyProblem;
import dev.weir.settings.AlertSettings;
import dev.weir.settings.Settings;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.BreakerWatch;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The link to the receivers of alerts that the settings name: what happens here becomes news there. Without receivers it has no
 * threads and costs nothing. Safe for use by many threads.
 */
final class AlertLink implements AutoCloseable {

    private static final long LOOK_MILLIS = 1_000;

    private final Alerts alerts;
    private final List<AlertTarget> targets;
    private final Threads threads;

    private AlertLink(Alerts alerts, List<AlertTarget> targets, Threads threads) {
        this.alerts = alerts;
        this.targets = targets;
        this.threads = threads;
    }

    /**
     * The threads that alerts are delivered on; none where there are no targets.
     *
     * @param timer one for timing
     * @param web   those that the requests are made on
     */
    record Threads(List<ScheduledExecutorService> timer, List<ThreadPoolExecutor> web) implements AutoCloseable {

        private static final int SPARE = 2;
        private static final long KEPT_SECONDS = 30;

        /** As many as so many targets need: one each may be held up by the search for its host. */
        static Threads of(int targets) {
            if (targets == 0) {
                return new Threads(List.of(), List.of());
            }
            int count = targets + SPARE;
            ThreadPoolExecutor web = new ThreadPoolExecutor(
                    count, count, KEPT_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), runnable -> {
                        Thread thread = new Thread(runnable, "weir-alert-web");
                        thread.setDaemon(true);
                        return thread;
                    });
            web.allowCoreThreadTimeOut(true);
            return new Threads(List.of(Background.threads("weir-alerts", 1)), List.of(web));
        }

        AlertThreads forAlerts() {
            return new AlertThreads(timer.get(0), web.get(0));
        }

        @Override
        public void close() {
            timer.forEach(ScheduledExecutorService::shutdownNow);
            web.forEach(ThreadPoolExecutor::shutdown);
        }
    }

    /**
     * Begins to deliver.
     *
     * @param node  the name of this Weir
     * @param clock the wall clock
     */
    static AlertLink start(Settings.Alert settings, String node, InstantSource clock) {
        List<AlertTarget> targets = AlertSettings.targets(settings);
        Threads threads = Threads.of(targets.size());
        if (targets.isEmpty()) {
            return new AlertLink(Alerts.NONE, targets, threads);
        }
        Alerts alerts = Alerts.start(
                targets,
                AlertRules.USUAL,
                node,
                () -> UUID.randomUUID().toString(),
                threads.forAlerts(),
                new AlertClocks(clock, System::nanoTime));
        return new AlertLink(alerts, targets, threads);
    }

    /** What is to be told of bans, beside somebody else who is. */
    BanWatch and(BanWatch other) {
        return targets.isEmpty() ? other : new BanWatches(other, new BanAlerts(alerts));
    }

    /** What is to be told of the policy. */
    PolicyWatch policy() {
        return new PolicyWatch() {
            @Override
            public void rejected(List<PolicyProblem> problems) {
                alerts.raise(HouseNews.policyRejected(
                        problems.stream().map(PolicyProblem::toString).toList()));
            }

            @Override
            public void accepted() {
                alerts.raise(HouseNews.policyAccepted());
            }
        };
    }

    /** What is to be told of circuits. */
    BreakerWatch breakers() {
        return (route, to, why, rest) -> {
            if (to == Breaker.State.OPEN) {
                alerts.raise(HouseNews.breakerOpened(route, why, rest));
            } else if (to == Breaker.State.CLOSED) {
                alerts.raise(HouseNews.breakerClosed(route));
            }
        };
    }

    /** Begins to look after the database, whether it has been there yet or not. */
    void watch(DatabaseWatch database) {
        DatabaseAlarm alarm = new DatabaseAlarm(database::trouble, alerts, System::nanoTime);
        for (ScheduledExecutorService timer : threads.timer()) {
            var unused = timer.scheduleWithFixedDelay(alarm::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** How it stands with each receiver. */
    List<AlertState> states() {
        return alerts.states();
    }

    /** How it stands with one receiver, by its place among all. */
    AlertState state(int place) {
        return states().get(place);
    }

    @Override
    public void close() {
        alerts.close();
        threads.close();
    }
}
