package dev.weir.gate;

import dev.weir.ban.BanRule;
import dev.weir.ban.Outlook;
import dev.weir.ban.Standing;
import dev.weir.limit.Forecast;
import dev.weir.limit.Outcome;
import dev.weir.limit.Tier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What would be decided of a call now, and why, with nothing taken and nothing counted. Immutable.
 *
 * @param verdict  what would be decided
 * @param route    the prefix of the route; null if the path belongs to none, where nothing is limited
 * @param exempt   whether the caller is never limited
 * @param refusal  what refuses the call; null if nothing does
 * @param ban      the ban that the caller is under, whether or not it shuts this call; null if it is under none
 * @param denial   why the caller may not do this at all; null if it may
 * @param levels   the levels, the narrowest first; empty if none is counted
 * @param strikes  how near the caller is to a ban; null if it is never banned
 * @param rule     when throttles become a ban
 */
public record Explanation(
        Kind verdict,
        @Nullable String route,
        boolean exempt,
        @Nullable Refusal refusal,
        @Nullable Standing ban,
        @Nullable Denial denial,
        List<Step> levels,
        @Nullable Outlook strikes,
        BanRule rule) {

    /** What may be decided of a call. */
    public enum Kind {
        ADMIT,
        THROTTLE,
        SHUT,
        FORBID
    }

    /**
     * What refuses a call, or makes it wait.
     *
     * @param level     the level, as answers and rows name it
     * @param reason    why
     * @param waitNanos as {@link Verdict.Throttle#waitNanos} has it
     * @param until     when the same call is admitted if no other comes before, or when the ban ends; null if nobody can tell
     */
    public record Refusal(
            String level,
            Outcome.Reason reason,
            long waitNanos,
            @Nullable Instant until) {}

    /**
     * Why a caller may not do what it tries.
     *
     * @param why    in words, to follow the name of what it may not
     * @param tool   the tool or the method; null if it may not use the route at all
     * @param remedy what would help
     * @param scopes what its credential would have to have
     */
    public record Denial(String why, @Nullable String tool, Verdict.Remedy remedy, Set<String> scopes) {

        public Denial {
            scopes = Set.copyOf(scopes);
        }
    }

    /**
     * One level.
     *
     * @param look   how its bucket stands
     * @param name   the level, as answers and rows name it
     * @param origin where its numbers come from
     */
    public record Step(Forecast.Look look, String name, List<Origin> origin) {

        public Step {
            origin = List.copyOf(origin);
        }
    }

    /** Keeps the levels as they are now. */
    public Explanation {
        levels = List.copyOf(levels);
    }

    /** How long an admitted call would have to wait for its tokens, in nanoseconds. */
    public long delayNanos() {
        boolean counted = levels.stream()
                .allMatch(step -> step.look().reason() == null
                        || step.look().take().tier().mode() == Tier.Mode.SHADOW);
        return verdict != Kind.ADMIT || !counted
                ? 0
                : levels.stream()
                        .filter(step -> step.look().reason() == null)
                        .mapToLong(step -> step.look().waitNanos())
                        .max()
                        .orElse(0);
    }

    /** How long the caller would be banned for this very call; null if it would not be. */
    public @Nullable Duration newBan() {
        return verdict == Kind.SHUT && ban == null && strikes != null ? strikes.bannedFor() : null;
    }
}
