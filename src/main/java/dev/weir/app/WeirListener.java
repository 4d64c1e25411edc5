package dev.weir.app;

import dev.weir.log.LogOutput;
import dev.weir.settings.Settings;
import dev.weir.settings.SettingsLoader;
import dev.weir.store.DatabaseUnavailableException;
import dev.weir.web.AuthFilter;
import dev.weir.web.LimitFilter;
import dev.weir.web.ProbeServlet;
import dev.weir.web.ResourceMetadata;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.ServletRegistration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts Weir with the web application, registers its filters and servlets in their order, and stops it with it. */
public final class WeirListener implements ServletContextListener {

    /** The context attribute in which whoever embeds Weir may leave {@link Settings}; without it they are looked for. */
    public static final String SETTINGS = "dev.weir.settings";

    /**
     * The context attribute in which whoever embeds Weir may leave a {@code Consumer<Jdbi>}, which puts rows into the
     * database before the policy is read.
     */
    public static final String SEED = "dev.weir.seed";

    private static final Logger LOG = LoggerFactory.getLogger(WeirListener.class);
    private static final String PROXY = "proxy";
    private static final String RESOURCE = "resource";
    private static final String ADMIN = "admin";
    private static final String CONSOLE = "console";

    private volatile @Nullable Weir weir;

    /** Whether the log ends with the web application, and not with a process that has more to say. */
    private volatile boolean ownsLog;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        ServletContext context = event.getServletContext();
        ownsLog = !(context.getAttribute(SETTINGS) instanceof Settings);
        Settings settings = ownsLog ? load() : (Settings) context.getAttribute(SETTINGS);
        @SuppressWarnings("unchecked")
        Consumer<Jdbi> seed = (Consumer<Jdbi>) context.getAttribute(SEED);
        Weir started = start(settings, seed);
        weir = started;
        serve(context, "live", Probes::live, "/live");
        serve(context, "ready", started.probes()::ready, "/ready");
        servlet(context, "health", started.health(), "/health");
        servlet(context, "metrics", started.metrics(), "/metrics");
        servlet(context, RESOURCE, started.resourceMetadata(), ResourceMetadata.PATH + "/*");
        started.admin().ifPresent(desk -> serve(context, desk));
        servlet(context, PROXY, started.proxy(), "/*");
        for (Filter filter : started.filters()) {
            filter(context, filter, served(filter));
        }
        // So that whoever calls while a server restarts is kept waiting by its port, and not refused.
        started.awaitReady();
    }

    /** Ends serving: to be called before the server stops, if that can be, so that nobody is cut off before it has to be. */
    public void stopServing() {
        Weir running = weir;
        if (running != null) {
            running.stopServing();
        }
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        Weir running = weir;
        if (running != null) {
            weir = null;
            running.close();
        }
        if (ownsLog) {
            LogOutput.close();
        }
    }

    /** Why nobody is served yet, as one sentence without secrets; null if all are, or if Weir does not run. */
    public @Nullable String missing() {
        Weir running = weir;
        return running == null ? null : running.probes().missing();
    }

    private static void serve(ServletContext context, AdminDesk desk) {
        servlet(context, ADMIN, desk.api(), "/admin/api/*");
        servlet(context, CONSOLE, desk.console(), "/admin/*");
        filter(context, desk.filter(), ADMIN, CONSOLE);
    }

    private static void filter(ServletContext context, Filter filter, String... servlets) {
        FilterRegistration.Dynamic registration =
                context.addFilter(filter.getClass().getSimpleName(), filter);
        registration.setAsyncSupported(true);
        registration.addMappingForServletNames(
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, servlets);
    }

    /** What a filter stands in front of. What tells who gives credentials needs none itself, and is charged to nobody. */
    private static String[] served(Filter filter) {
        boolean forProxyOnly = filter instanceof LimitFilter || filter instanceof AuthFilter;
        return forProxyOnly ? new String[] {PROXY} : new String[] {PROXY, RESOURCE};
    }

    private static Settings load() {
        List<String> warnings = new ArrayList<>();
        Settings settings = SettingsLoader.ofThisProcess(warnings::add).load(null, Map.of());
        LogOutput.use(settings.log().format());
        warnings.forEach(warning -> LOG.atWarn().addKeyValue("warning", warning).log("setting_unknown"));
        return settings;
    }

    private static Weir start(Settings settings, @Nullable Consumer<Jdbi> seed) {
        try {
            return Weir.start(settings, seed);
        } catch (DatabaseUnavailableException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private static void serve(ServletContext context, String name, Supplier<ProbeServlet.Answer> answer, String path) {
        servlet(context, name, new ProbeServlet(answer), path);
    }

    private static void servlet(ServletContext context, String name, Servlet servlet, String path) {
        ServletRegistration.Dynamic registration = context.addServlet(name, servlet);
        Objects.requireNonNull(registration, "there is a servlet " + name + " already");
        registration.setAsyncSupported(true);
        registration.addMapping(path);
    }
}
