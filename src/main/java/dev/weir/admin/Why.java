package dev.weir.admin;

import dev.weir.ban.Standing;
import dev.weir.gate.Explanation;
import dev.weir.gate.Verdict;
import dev.weir.limit.Forecast;
import dev.weir.limit.Tier;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An explanation in one or two sentences. */
final class Why {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Explanation explanation;
    private final @Nullable String name;

    /** @param name of the tool or the method; null if there is none */
    Why(Explanation explanation, @Nullable String name) {
        this.explanation = explanation;
        this.name = name;
    }

    String sentence() {
        return switch (explanation.verdict()) {
            case SHUT -> shut();
            case FORBID -> forbidden();
            case THROTTLE -> throttled();
            case ADMIT -> admitted();
        };
    }

    private String shut() {
        Standing ban = explanation.ban();
        if (ban != null) {
            return "It is banned until " + ban.until() + " " + ban.why() + ".";
        }
        Duration term = explanation.newBan();
        return throttled() + " That would be one strike too many: it would be banned for "
                + (term == null ? 0 : term.toSeconds()) + " s.";
    }

    private String forbidden() {
        Explanation.Denial denial = explanation.denial();
        if (denial == null) {
            return "";
        }
        String what = denial.tool() == null ? String.valueOf(explanation.route()) : denial.tool();
        return "[" + what + "] " + denial.why() + ".";
    }

    private String throttled() {
        Explanation.Refusal refusal = explanation.refusal();
        Forecast.Look by = refusing().filter(look -> !isTried(look)).findFirst().orElse(null);
        if (refusal == null || by == null) {
            return "";
        }
        String tier = "[" + by.take().tier().name() + "]";
        String limit = tier + ", " + number(by.take().tier().limit().ratePerSecond()) + " a second with a burst of "
                + by.take().tier().limit().capacity() + ",";
        String wait = refusal.waitNanos() == Verdict.NEVER
                ? " It will never pass."
                : " It would pass in " + number(refusal.waitNanos() / NANOS_PER_SECOND) + " s.";
        return switch (refusal.reason()) {
            case EMPTY ->
                "Its tokens at the level " + refusal.level() + " are used up: the tier " + limit + " has "
                        + by.tokensLeft() + " left and the call takes "
                        + by.take().cost() + "." + wait;
            case COOLING -> "It is shut out of [" + name + "] while the tier " + tier + " cools down." + wait;
            case BUSY ->
                "As many calls are in flight as the tier " + tier + " lets in: "
                        + by.take().tier().maxConcurrent() + ".";
            case BLOCKED -> "The tier " + tier + " at the level " + refusal.level() + " lets nothing through." + wait;
        };
    }

    private String admitted() {
        if (explanation.exempt()) {
            return "It is exempt: nothing limits it.";
        }
        Optional<Forecast.Look> shadow = refusing().findFirst();
        if (shadow.isPresent()) {
            return isTried(shadow.get())
                    ? "It would be admitted: the tier ["
                            + shadow.get().take().tier().name() + "] would refuse it, but is only being tried out."
                    : "It would be admitted: such a call always passes, whatever its buckets say.";
        }
        return explanation.levels().isEmpty()
                ? "It would be admitted: nothing is counted."
                : "It would be admitted: every level has tokens for it.";
    }

    private Stream<Forecast.Look> refusing() {
        return explanation.levels().stream().map(Explanation.Step::look).filter(look -> look.reason() != null);
    }

    private static boolean isTried(Forecast.Look look) {
        return look.take().tier().mode() == Tier.Mode.SHADOW;
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.valueOf((long) value)
                : String.valueOf(Math.ceil(value * 1_000) / 1_000);
    }
}
