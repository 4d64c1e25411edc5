package dev.weir.web;

import dev.weir.auth.Identifier;
import dev.weir.auth.Identity;
import dev.weir.gate.Call;
import dev.weir.gate.Gatekeeper;
import dev.weir.gate.Verdict;
import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.McpHeaders;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.McpReader;
import dev.weir.mcp.MirroredHeaders;
import dev.weir.mcp.Reading;
import dev.weir.telemetry.Observation;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The second filter: reads the message, says who is calling, has the gate judge, and lets on only what is admitted. Holds no
 * thread while a body is on its way, a ban is on its way into the history, or the answer to a strike is held back.
 */
public final class LimitFilter extends HttpFilter {

    /** How long an answer that speaks of a ban waits for the ban to be safe from a crash. */
    private static final long ANNOUNCE_MILLIS = 500;

    private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

    private static final long MAX_DRAIN_BYTES = 64L << 20;
    private static final long MAX_BODY_MILLIS = 30_000;

    private final Identifier identifier;
    private final McpReader reader;
    private final Gatekeeper gate;
    private final TokenDesk tokens;
    private final Refusals refusals;
    private final BodyReader bodies;
    private final BodyBudget budget;
    private final ScheduledExecutorService timer;

    /**
     * @param timer        wakes requests that wait; what it runs is short
     * @param budget the memory for bodies
     */
    public LimitFilter(
            Identifier identifier,
            McpReader reader,
            Gatekeeper gate,
            Refusals refusals,
            ScheduledExecutorService timer,
            BodyBudget budget) {
        this.budget = budget;
        this.timer = timer;
        this.identifier = identifier;
        this.reader = reader;
        this.gate = gate;
        this.refusals = refusals;
        this.tokens = new TokenDesk(identifier, gate, refusals, timer);
        this.bodies = new BodyReader(budget, MAX_DRAIN_BYTES, MAX_BODY_MILLIS);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Visit visit = Visit.of(request);
        if (visit.identity() == null) {
            visit.identify(identify(request, visit));
        }
        try {
            pass(request, response, chain, visit);
        } finally {
            if (visit.hasMemory()) {
                OnFinish.of(request, () -> visit.giveMemoryBack(budget));
            }
        }
    }

    private void pass(HttpServletRequest request, HttpServletResponse response, FilterChain chain, Visit visit)
            throws IOException, ServletException {
        Verdict verdict = visit.verdict();
        if (verdict instanceof Verdict.Admit admit) {
            // It has waited for its tokens; or whoever serves it has sent it through the chain once more.
            goOn(request, response, chain, visit, admit);
        } else if (verdict != null) {
            refuse(request, response, visit, verdict);
        } else if (gate.passesUnread(visit.path())) {
            judge(request, response, chain, visit, JudgedRequest.unread(visit.requestId(), () -> served(visit)));
        } else if (request.getMethod().equals("POST")
                && gate.readsMessages(visit.path())
                && mayBeRead(request, visit)) {
            BodyReader.Body body = bodies.read(request);
            if (body != null) {
                judge(request, response, chain, visit, body);
            }
        } else {
            judge(request, response, chain, visit, judged(visit, null, null, new byte[0]));
        }
    }

    /** A body that waits to be asked for is not asked for where it is certain that nobody will look at it. */
    private static boolean mayBeRead(HttpServletRequest request, Visit visit) {
        return request.getHeader("Expect") == null || !(visit.identity() instanceof Identity.Unproven);
    }

    private void judge(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            Visit visit,
            BodyReader.Body body)
            throws IOException, ServletException {
        visit.sent(body.bytes());
        if (body.end() != BodyReader.Body.End.WHOLE) {
            // What the sender may still have on its way would be taken for the next request.
            response.setHeader("Connection", "close");
            if (body.end() == BodyReader.Body.End.NO_ROOM) {
                response.setHeader("Retry-After", "1");
            }
            refusals.plain(visit, request, response, refusal(body.end()));
            return;
        }
        Reading reading = McpHeaders.refusal(values(request, "Content-Type"), values(request, "Content-Encoding"));
        if (reading == null) {
            reading = reader.read(body.bytes());
        }
        reading = agreed(request, visit, reading);
        if (reading instanceof Reading.Read read) {
            visit.read(read.message());
            visit.observation().read(read.message(), read.revision(), read.trace());
            judge(request, response, chain, visit, judged(visit, read.message(), null, body.bytes()));
        } else if (reading instanceof Reading.Batch batch) {
            visit.read(batch);
            judge(request, response, chain, visit, judged(visit, null, batch, body.bytes()));
        } else if (reading instanceof Reading.Unreadable unreadable) {
            judgeUnreadable(request, response, chain, visit, unreadable);
        }
    }

    private static Refusal refusal(BodyReader.Body.End end) {
        return switch (end) {
            case TOO_LARGE -> Refusal.TOO_LARGE;
            case TOO_SLOW -> Refusal.TOO_SLOW;
            case BROKEN -> Refusal.BROKEN;
            case NO_ROOM -> Refusal.NO_ROOM;
            case WHOLE -> throw new IllegalArgumentException("nothing is wrong with a whole body");
        };
    }

    /** The reading, where the body and the rest of its request agree; else what they do not agree in. */
    private Reading agreed(HttpServletRequest request, Visit visit, Reading reading) {
        if (reading instanceof Reading.Read read) {
            return MirroredHeaders.checked(read, name -> values(request, name));
        }
        Reading refusal = reading instanceof Reading.Batch
                ? McpHeaders.batchRefusal(gate.takesBatches(visit.path()), values(request, McpHeaders.PROTOCOL_VERSION))
                : null;
        return refusal == null ? reading : refusal;
    }

    private void judge(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            Visit visit,
            JudgedRequest judged)
            throws IOException, ServletException {
        request.setAttribute(JudgedRequest.ATTRIBUTE, judged);
        Verdict.Admit admit = decide(request, response, visit);
        if (admit != null) {
            goOn(request, response, chain, visit, admit);
        }
    }

    /** Sends an admitted request on, and gives back what it held when its exchange has really ended. */
    private void goOn(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            Visit visit,
            Verdict.Admit admit)
            throws IOException, ServletException {
        if (visit.identity() instanceof Identity.Unproven && !bodies.discard(request, response)) {
            // The next filter will refuse it.
            return;
        }
        showTools(request, visit);
        try {
            chain.doFilter(request, response);
        } finally {
            if (admit.holds()) {
                OnFinish.of(request, admit::release);
            }
        }
    }

    /** Tells whoever serves the request which tools its sender may see. */
    private void showTools(HttpServletRequest request, Visit visit) {
        Identity identity = visit.identity();
        if (identity != null
                && !(identity instanceof Identity.Unproven)
                && request.getAttribute(JudgedRequest.ATTRIBUTE) instanceof JudgedRequest judged) {
            Predicate<String> visible = gate.visibleTools(identity.caller(), call(request, visit));
            if (visible != null) {
                request.setAttribute(JudgedRequest.ATTRIBUTE, judged.showing(visible));
            }
        }
    }

    /** A body that says nothing is charged like a call that asks for nothing, so that a flood of such ends too. */
    private void judgeUnreadable(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            Visit visit,
            Reading.Unreadable unreadable)
            throws IOException, ServletException {
        if (decide(request, response, visit) != null) {
            if (visit.identity() instanceof Identity.Unproven) {
                chain.doFilter(request, response);
            } else {
                refusals.unreadable(visit, request, response, unreadable);
            }
        }
    }

    /** The verdict if the call goes on now; null if it has been answered, or will be, or waits for its tokens. */
    private Verdict.@Nullable Admit decide(HttpServletRequest request, HttpServletResponse response, Visit visit)
            throws IOException {
        Call call = call(request, visit);
        if (!tokens.settle(request, response, visit, call)) {
            return null;
        }
        request.setAttribute(JudgedRequest.OWNER, visit.owner());
        request.setAttribute(JudgedRequest.CLIENT, visit.client());
        long began = visit.observation().now();
        Verdict verdict = verdict(visit, call);
        observed(visit.observation(), verdict, began);
        if (verdict instanceof Verdict.Admit admit) {
            visit.judge(admit);
            if (admit.quota() != null) {
                Refusals.tell(response, admit.quota());
            }
            if (admit.waitNanos() > 0) {
                TokenWait.begin(request, admit, timer, () -> refusals.ended(visit, admit));
                return null;
            }
            return admit;
        }
        visit.judge(verdict);
        CompletableFuture<Void> due = due(verdict);
        if (due.isDone()) {
            refuse(request, response, visit, verdict);
        } else {
            answerWhenDue(request, visit, verdict, due);
        }
        return null;
    }

    private static void observed(Observation observation, Verdict verdict, long began) {
        observation.decided(verdict.decision(), verdict.route(), began);
        if (verdict instanceof Verdict.Throttle throttle) {
            observation.throttled(throttle.level());
        } else if (verdict instanceof Verdict.Shut shut) {
            observation.banned(shut.banId());
        }
    }

    private Verdict verdict(Visit visit, Call call) {
        Identity identity = Objects.requireNonNull(visit.identity(), "nobody has been identified yet");
        if (identity instanceof Identity.Unproven) {
            // For a token that is not good its address has been asked to pay already.
            Verdict checking = visit.checking();
            return checking != null
                    ? checking
                    : gate.decideUnproven(identity.caller().principal(), call);
        }
        return gate.decide(identity.caller(), call);
    }

    /** Writes a refusal, unless the body has to be got out of the way first: then the request comes again. */
    private void refuse(HttpServletRequest request, HttpServletResponse response, Visit visit, Verdict verdict)
            throws IOException {
        if (bodies.discard(request, response)) {
            refusals.refuse(visit, request, response, verdict);
        }
    }

    private Identity identify(HttpServletRequest request, Visit visit) {
        return identifier.identify(
                request.getHeader("Authorization"), request.getHeader("X-API-Key"), visit.address(), visit.userAgent());
    }

    /** Done when a refusal may be written: at once, but for a ban that is not safe yet, and for strikes. */
    private CompletableFuture<Void> due(Verdict verdict) {
        if (verdict instanceof Verdict.Shut shut) {
            CompletableFuture<Void> safe = shut.announced().toCompletableFuture();
            return safe.isDone() ? safe : after(TimeUnit.MILLISECONDS.toNanos(ANNOUNCE_MILLIS), safe.copy());
        }
        if (verdict instanceof Verdict.Throttle throttle && throttle.holdNanos() > 0) {
            return after(throttle.holdNanos(), new CompletableFuture<>());
        }
        return NOW;
    }

    /** Completes a stage after a time at the latest. */
    private CompletableFuture<Void> after(long nanos, CompletableFuture<Void> stage) {
        var unused = timer.schedule(() -> stage.complete(null), nanos, TimeUnit.NANOSECONDS);
        return stage;
    }

    /** Sends the request through the chain once more when it is due, because that thread is not ours to write on. */
    private void answerWhenDue(HttpServletRequest request, Visit visit, Verdict verdict, CompletableFuture<Void> due) {
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        OnFinish.of(request, () -> refusals.ended(visit, verdict));
        var unused = due.whenComplete((done, failure) -> async.dispatch());
    }

    private static JudgedRequest judged(
            Visit visit, @Nullable McpMessage message, Reading.@Nullable Batch batch, byte[] body) {
        return new JudgedRequest(visit.requestId(), message, batch, body, () -> served(visit));
    }

    private static void served(Visit visit) {
        if (visit.verdict() instanceof Verdict.Admit admit) {
            admit.release();
        }
    }

    private static Call call(HttpServletRequest request, Visit visit) {
        Reading.Batch batch = visit.batch();
        return batch == null
                ? new Call(visit.path(), kind(request), visit.message(), visit.arrivedNanos())
                : Call.of(visit.path(), batch, visit.arrivedNanos());
    }

    private static Call.Kind kind(HttpServletRequest request) {
        return switch (request.getMethod()) {
            case "POST" -> Call.Kind.MESSAGE;
            case "DELETE" -> Call.Kind.END;
            default -> Call.Kind.OTHER;
        };
    }

    private static List<String> values(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }
}
