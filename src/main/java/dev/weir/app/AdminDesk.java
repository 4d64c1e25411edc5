package dev.weir.app;

import dev.weir.admin.Admin;
import dev.weir.admin.AdminFilter;
import dev.weir.admin.Sessions;
import dev.weir.admin.Way;
import dev.weir.console.ConsoleFiles;
import dev.weir.console.ConsoleServlet;
import dev.weir.rest.Operation;
import dev.weir.rest.Problem;
import dev.weir.rest.RestServlet;
import dev.weir.settings.AdminSettings;
import dev.weir.settings.Settings;
import dev.weir.web.Approach;
import jakarta.servlet.http.HttpServletRequest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** What operators use, put together: the API, the console, and what stands before both. */
final class AdminDesk implements AutoCloseable {

    private static final int THREADS = 6;
    private static final int MOST_WAITING = 64;

    private final ThreadPoolExecutor threads;
    private final AdminFilter filter;
    private final RestServlet api;
    private final ConsoleServlet console;

    /** @param work what can be done with the API */
    AdminDesk(Settings settings, OperatorTokens tokens, Sessions sessions, Approach approach, List<Operation> work) {
        Way way = new Approached(approach);
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(MOST_WAITING), AdminDesk::thread);
        threads.allowCoreThreadTimeOut(true);
        filter = new AdminFilter(AdminSettings.addresses(settings), way);
        api = new Admin(tokens, sessions, tokens.guesses(), way, work).servlet(threads, AdminDesk::problem);
        console = new ConsoleServlet(new ConsoleFiles(AdminDesk.class.getClassLoader()));
    }

    /** The sessions of the console, as the settings want them. */
    static Sessions sessions(Settings settings, Clock clock) {
        Settings.Admin admin = settings.admin();
        return new Sessions(
                Duration.ofMinutes(admin.sessionIdleMinutes()),
                Duration.ofHours(admin.sessionHours()),
                clock,
                new SecureRandom());
    }

    AdminFilter filter() {
        return filter;
    }

    RestServlet api() {
        return api;
    }

    ConsoleServlet console() {
        return console;
    }

    @Override
    public void close() {
        threads.shutdown();
    }

    private static @Nullable Problem problem(RuntimeException failure) {
        return failure instanceof JdbiException
                ? Problem.of(
                        503,
                        "database_away",
                        "The database does not answer. Limits, bans and policy go on from memory.")
                : null;
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "weir-admin");
        thread.setDaemon(true);
        return thread;
    }

    /** How requests come, as the filters see it. */
    private record Approached(Approach approach) implements Way {

        @Override
        public String address(HttpServletRequest request) {
            return approach.address(request);
        }

        @Override
        public boolean isEncrypted(HttpServletRequest request) {
            return approach.isEncrypted(request);
        }

        @Override
        public boolean usesOurName(HttpServletRequest request) {
            return approach.usesOurName(request);
        }

        @Override
        public boolean isFromOwnPage(HttpServletRequest request) {
            return approach.isFromOwnPage(request);
        }
    }
}
