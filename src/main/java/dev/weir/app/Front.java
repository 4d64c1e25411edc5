package dev.weir.app;

import dev.weir.auth.Identifier;
import dev.weir.auth.KeyStrategy;
import dev.weir.gate.Gatekeeper;
import dev.weir.gate.Resources;
import dev.weir.mcp.McpReader;
import dev.weir.policy.PolicyBook;
import dev.weir.settings.FrontDoor;
import dev.weir.settings.LogSettings;
import dev.weir.settings.Settings;
import dev.weir.telemetry.Telemetry;
import dev.weir.web.Approach;
import dev.weir.web.Arrivals;
import dev.weir.web.AuthFilter;
import dev.weir.web.BodyBudget;
import dev.weir.web.CorsFilter;
import dev.weir.web.Insiders;
import dev.weir.web.LimitFilter;
import dev.weir.web.LogFilter;
import dev.weir.web.MetadataAddress;
import dev.weir.web.OriginRule;
import dev.weir.web.PublicBase;
import dev.weir.web.ReadyFilter;
import dev.weir.web.Refusals;
import dev.weir.web.RequestIds;
import dev.weir.web.RequestLog;
import dev.weir.web.ResourceMetadata;
import jakarta.servlet.Filter;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;

/** What requests meet first, put together: the filters before the proxy, and the servlets that answer by themselves. */
final class Front {

    private final Settings settings;
    private final OriginRule origins;
    private final PublicBase base;

    private final RequestLog log;
    private final IssuerLink issuer;
    private final TraceLink traces;

    Front(Settings settings, RequestLog log, IssuerLink issuer, TraceLink traces) {
        this.settings = settings;
        this.log = log;
        this.issuer = issuer;
        this.traces = traces;
        this.origins = FrontDoor.origins(settings);
        this.base = FrontDoor.base(settings);
    }

    /** The filters in front of the proxy, in their order. */
    List<Filter> filters(
            PolicyBook policies,
            Gatekeeper gate,
            WayOut out,
            Probes probes,
            Telemetry telemetry,
            ScheduledExecutorService timer) {
        Refusals refusals =
                new Refusals(log, Clock.systemUTC(), out.streams(), new MetadataAddress(base, issuer.name() != null));
        Arrivals arrivals = new Arrivals(
                new RequestIds(() -> UUID.randomUUID().toString()),
                telemetry,
                LogSettings.detail(settings),
                System::nanoTime);
        Identifier identifier = new Identifier(
                policies,
                issuer.tokens(),
                KeyStrategy.of(settings.rateLimit().keyStrategy()),
                settings.auth().required());
        return List.of(
                new CorsFilter(origins, base, FrontDoor.preflights(settings), arrivals, refusals),
                new ReadyFilter(probes::isReady, out.stop()::hasBegun, refusals),
                new LimitFilter(identifier, new McpReader(traces.tracing() != null), gate, refusals, timer, bodies()),
                new AuthFilter(gate, refusals),
                new LogFilter(log));
    }

    /** Who may look inside: those with the operator's token or a key for it, and callers on this machine. */
    Insiders insiders(OperatorTokens tokens) {
        return new Insiders(tokens::mayLook, origins, FrontDoor.proxies(settings));
    }

    /** The servlet that tells who gives tokens. */
    ResourceMetadata metadata(PolicyBook policies) {
        return new ResourceMetadata(new Resources(policies), base, issuer.name());
    }

    /** From where and under which name requests come. */
    Approach approach() {
        return new Approach(origins, base);
    }

    private BodyBudget bodies() {
        return new BodyBudget(
                settings.maxBodyBytes(),
                settings.maxBufferedBytes().orElse(Runtime.getRuntime().maxMemory() / 4));
    }
}
