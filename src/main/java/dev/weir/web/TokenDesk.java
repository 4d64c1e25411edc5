package dev.weir.web;

import dev.weir.auth.Identifier;
import dev.weir.auth.Identity;
import dev.weir.auth.TokenCheck;
import dev.weir.gate.Call;
import dev.weir.gate.Gatekeeper;
import dev.weir.gate.Verdict;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Has the token checked that a request came with, where nobody has seen it before. The sender's address pays for the check, and
 * gets back what it has paid if the token is good. Holds no thread while a key is on its way.
 */
final class TokenDesk {

    /** What whoever fetches keys keeps to as well; here so that no request depends on it. */
    private static final long LONGEST_WAIT_SECONDS = 10;

    private static final int RETRY_AFTER_SECONDS = 5;

    private final Identifier identifier;
    private final Gatekeeper gate;
    private final Refusals refusals;
    private final ScheduledExecutorService timer;

    TokenDesk(Identifier identifier, Gatekeeper gate, Refusals refusals, ScheduledExecutorService timer) {
        this.identifier = identifier;
        this.gate = gate;
        this.refusals = refusals;
        this.timer = timer;
    }

    /**
     * Settles whose request it is.
     *
     * @return false if the request has been answered, or will come again; true if the visit knows who it is, and perhaps what
     *     the gate says already
     */
    boolean settle(HttpServletRequest request, HttpServletResponse response, Visit visit, Call call)
            throws IOException {
        if (!(visit.identity() instanceof Identity.Unchecked unchecked)) {
            return true;
        }
        Verdict paid = visit.checking();
        if (paid == null) {
            paid = gate.decideUnchecked(unchecked.caller().principal(), call);
            visit.checking(paid);
        }
        if (!(paid instanceof Verdict.Admit check)) {
            visit.identify(new Identity.Unproven(unchecked.caller(), true));
            return true;
        }
        TokenCheck result = identifier.check(unchecked);
        if (result instanceof TokenCheck.Later later) {
            comeBack(request, visit, check, later);
            return false;
        }
        if (result instanceof TokenCheck.Good good) {
            check.cancel();
            visit.checking(null);
            visit.identify(identifier.proven(good.token(), visit.address(), visit.userAgent()));
            return true;
        }
        check.release();
        if (result instanceof TokenCheck.Bad bad) {
            visit.identify(new Identity.Unproven(unchecked.caller(), true, bad.why()));
            return true;
        }
        response.setHeader("Retry-After", Integer.toString(RETRY_AFTER_SECONDS));
        refusals.plain(visit, request, response, Refusal.UNCHECKED);
        return false;
    }

    private void comeBack(HttpServletRequest request, Visit visit, Verdict.Admit check, TokenCheck.Later later) {
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        OnFinish.of(request, () -> {
            check.release();
            if (visit.identity() instanceof Identity.Unchecked) {
                // Its sender has left without an answer.
                refusals.ended(visit, check);
            }
        });
        var unused = soon(later.known().toCompletableFuture().copy()).whenComplete((done, failure) -> dispatch(async));
    }

    private CompletableFuture<Void> soon(CompletableFuture<Void> known) {
        var unused = timer.schedule(() -> known.complete(null), LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        return known;
    }

    private static void dispatch(AsyncContext async) {
        try {
            async.dispatch();
        } catch (IllegalStateException e) {
            // The caller has left.
        }
    }
}
