package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.ban.Ban;
import dev.weir.ban.BanArchive;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRecord;
import dev.weir.ban.BanRule;
import dev.weir.ban.Standing;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looking at bans, banning by hand, and lifting. */
public final class BanOperations {

    /** How long an answer waits for the database to have taken what holds already. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final long LONGEST_SECONDS = Duration.ofDays(3_650).toSeconds();

    private static final Schema CHANGED = BanJson.WHOLE
            .with("title", "ChangedBan")
            .member(
                    "recorded",
                    Schema.flag().meaning("false if the database is away: it holds, and is written down later"))
            .maybe("note", Schema.text(4_096).meaning("what the operator should know, as sentences"));

    private static final Schema BAN = Schema.of("BanByHand")
            .member("principal", Schema.text(512).meaning("whom: client:ID, user:SUBJECT, key:DIGITS, address:ADDRESS"))
            .maybe(
                    "scope",
                    Schema.oneOf("tools", "all")
                            .meaning("what is shut: calls of tools, or everything; tools if not said"))
            .member("duration_seconds", Schema.whole(1, LONGEST_SECONDS).meaning("how long, from now on"))
            .member("reason", Schema.words(512).meaning("why; the principal is told"));

    private static final Schema LIFT =
            Schema.of("Lift").member("reason", Schema.words(512).meaning("why, for the history"));

    private static final List<Parameter> FILTERS = List.of(
            Parameter.query(
                    "state", Schema.oneOf("active", "ended", "lifted", "all"), "what became of it; all if not said"),
            Parameter.query("principal", Schema.text(2_048), "who was banned"),
            Parameter.query("route", Schema.text(2_048), "the route of its strikes"),
            Parameter.query("tool", Schema.text(2_048), "the tool of its strikes"),
            Parameter.query("from", Schema.time(), "the earliest beginning"),
            Parameter.query("until", Schema.time(), "it began before this"));

    private final BanBook bans;
    private final BanArchive archive;
    private final PolicyBook policies;
    private final InstantSource clock;
    private final Pages<BanRecord> pages;
    private final Pages<BanRecord> whole;
    private final Exports exports;

    /**
     * @param bans    those that hold
     * @param archive those that are written down
     * @param clock   the wall clock, on which bans end
     */
    public BanOperations(BanBook bans, BanArchive archive, PolicyBook policies, Exports exports, InstantSource clock) {
        this.bans = bans;
        this.archive = archive;
        this.policies = policies;
        this.clock = clock;
        this.pages = new Pages<>(BanRecord::place, record -> BanJson.item(record, clock));
        this.whole = new Pages<>(BanRecord::place, record -> BanJson.whole(record, clock));
        this.exports = exports;
    }

    /** All of them. */
    public List<Operation> all() {
        Schema list = Pages.schema("Bans", BanJson.ITEM);
        Parameter id = Parameter.path("id", "the ban's id, as answers and the log tell it");
        return List.of(
                Operation.get("/v1/bans", Role.VIEWER, "listBans", "Lists bans, the latest first.", list, this::list)
                        .taking(Pages.with(FILTERS)),
                new Operation(
                        "GET",
                        "/v1/bans/export",
                        Role.VIEWER,
                        "exportBans",
                        "Writes all bans that are asked for into a file, with their evidence.",
                        List.of(Exports.with(FILTERS)),
                        null,
                        null,
                        this::export),
                Operation.get(
                                "/v1/bans/{id}",
                                Role.VIEWER,
                                "getBan",
                                "Shows a ban with its evidence.",
                                BanJson.WHOLE,
                                this::show)
                        .taking(id),
                Operation.change("POST", "/v1/bans", Role.OPERATOR, "ban", "Bans by hand, from now on.", this::ban)
                        .sending(BAN)
                        .answering(CHANGED),
                Operation.change(
                                "POST",
                                "/v1/bans/{id}/lift",
                                Role.OPERATOR,
                                "liftBan",
                                "Lifts a ban, which makes no later ban longer then.",
                                this::lift)
                        .taking(id)
                        .sending(LIFT)
                        .answering(CHANGED));
    }

    private Answer list(Ask ask) {
        BanArchive.Filter filter = filter(ask);
        return pages.answer(ask, false, (after, most) -> archive.page(filter, after, most));
    }

    private Answer export(Ask ask) {
        BanArchive.Filter filter = filter(ask);
        List<String> columns = new ArrayList<>(BanJson.MEMBERS);
        columns.add("evidence");
        return exports.answer(ask, "bans", columns, whole, (after, most) -> archive.page(filter, after, most));
    }

    private BanArchive.Filter filter(Ask ask) {
        String state = ask.text("state");
        return new BanArchive.Filter(
                state == null || state.equals("all") ? null : BanRecord.State.valueOf(state.toUpperCase(Locale.ROOT)),
                ask.text("principal"),
                ask.text("route"),
                ask.text("tool"),
                ask.time("from"),
                ask.time("until"),
                clock.instant());
    }

    private Answer show(Ask ask) throws Problem {
        return Answer.json(BanJson.whole(found(ask.path("id")), clock));
    }

    private Answer ban(Ask ask) throws Problem {
        Banned banned = Banned.of(ask.body().path("principal").asString(), policies.current());
        Standing standing = bans.banByHand(
                banned.key(),
                "all".equals(ask.body().path("scope").asString("tools")) ? BanRule.Scope.ALL : BanRule.Scope.TOOLS,
                Duration.ofSeconds(ask.body().path("duration_seconds").asLong()),
                ask.body().path("reason").asString(),
                ask.operator().name());
        Ban ban = standing.ban();
        boolean recorded = await(standing.recorded().thenApply(done -> true)) != null;
        return changed(recorded ? 201 : 202, ban, null, banned.note())
                .with("Location", ask.request().getContextPath() + "/admin/api" + BanJson.self(ban.id()));
    }

    private Answer lift(Ask ask) throws Problem {
        String id = ask.path("id");
        Standing standing = bans.byId(id);
        // What holds here needs no look at the history, which may be away.
        Ban ban = standing != null ? standing.ban() : holding(id).ban();
        String reason = ask.body().path("reason").asString();
        String by = ask.operator().name();
        Boolean lifted = await(bans.lift(id, by, reason));
        if (lifted != null && !lifted) {
            throw over(found(id));
        }
        BanRecord.Lift lift = new BanRecord.Lift(clock.instant(), by, reason);
        return changed(lifted == null ? 202 : 200, ban, lift, null);
    }

    /** What has come of a change: as it is written down, or as it will be. */
    private Answer changed(int status, Ban ban, BanRecord.@Nullable Lift lift, @Nullable String note) {
        boolean recorded = status != 202;
        BanRecord record = recorded ? archive.find(ban.id()) : null;
        Map<String, @Nullable Object> members =
                BanJson.whole(record != null ? record : new BanRecord(ban, lift, ""), clock);
        members.put("recorded", recorded);
        if (note != null) {
            members.put("note", note);
        }
        return Answer.json(status, members);
    }

    private BanRecord holding(String id) throws Problem {
        BanRecord record = found(id);
        if (record.state(clock.instant()) != BanRecord.State.ACTIVE) {
            throw over(record);
        }
        return record;
    }

    private BanRecord found(String id) throws Problem {
        BanRecord record = archive.find(id);
        if (record == null) {
            throw Problem.notFound("ban [" + id + "]");
        }
        return record;
    }

    private static Problem over(BanRecord record) {
        BanRecord.Lift lift = record.lift();
        return lift == null
                ? Problem.of(
                        409,
                        "ended",
                        "This ban is over since " + Utc.text(record.ban().expiresAt()) + ".")
                : Problem.of(409, "lifted", "This ban was lifted " + Utc.text(lift.at()) + " by [" + lift.by() + "].");
    }

    /** What comes of a change if the database takes it soon; null if it does not. */
    private static <T> @Nullable T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a write that must not be lost was given up", e);
        }
    }
}
