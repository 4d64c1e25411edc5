package dev.weir.app;

import dev.weir.policy.PolicyBook;
import dev.weir.proxy.Exchanges;
import dev.weir.proxy.LegacyStreams;
import dev.weir.proxy.ProxyServlet;
import dev.weir.proxy.Seals;
import dev.weir.settings.Settings;
import dev.weir.upstream.BreakerWatch;
import dev.weir.upstream.HealthChecks;
import dev.weir.upstream.JettyUpstreamClient;
import dev.weir.upstream.Targets;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** Everything on the way to the upstreams and back, put together. Safe for use by many threads. */
final class WayOut implements AutoCloseable {

    private static final Duration SWEEP_PAUSE = Duration.ofMillis(500);
    private static final Duration CHECK_PAUSE = Duration.ofMillis(500);

    /** A container often learns only by the second of them that a client has left. */
    private static final Duration COMMENT_AFTER = Duration.ofSeconds(5);

    private final Exchanges exchanges = new Exchanges(System::nanoTime, COMMENT_AFTER);
    private final Seals seals = new Seals();
    private final LegacyStreams streams = new LegacyStreams(seals);
    private final Targets targets;
    private final PolicyRoutes routes;
    private final JettyUpstreamClient upstream;
    private final HealthChecks checks;
    private final GracefulStop stop;
    private final ProxyServlet proxy;

    /**
     * @param tls   what is shown to upstreams and believed of them, by name
     * @param watch is told of breakers that open and close
     */
    WayOut(Settings settings, Map<String, SSLContext> tls, PolicyBook policies, BreakerWatch watch, Clock clock) {
        targets = new Targets(System::nanoTime, clock);
        stop = new GracefulStop(exchanges, settings.stop(), System::nanoTime);
        routes = new PolicyRoutes(policies, new RouteBreakers(System::nanoTime, clock, watch));
        upstream = JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults(), tls);
        checks = new HealthChecks(upstream, targets, System::nanoTime);
        proxy = new ProxyServlet(routes, targets, upstream, exchanges, streams, clock);
    }

    /** Takes on what is to be done now and then. */
    void takeOn(Housekeeper inMemory) {
        inMemory.every(SWEEP_PAUSE, "exchanges", exchanges::sweep);
        inMemory.every(CHECK_PAUSE, "upstreams", () -> {
            upstream.retain(routes.all());
            targets.retain(routes.all());
            checks.run(routes.all());
        });
    }

    /** Takes the key that sessions are sealed with. */
    void use(byte[] sealKey) {
        seals.use(sealKey);
    }

    Exchanges exchanges() {
        return exchanges;
    }

    LegacyStreams streams() {
        return streams;
    }

    Targets targets() {
        return targets;
    }

    PolicyRoutes routes() {
        return routes;
    }

    GracefulStop stop() {
        return stop;
    }

    ProxyServlet proxy() {
        return proxy;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
