package dev.weir.store;

import dev.weir.ban.Ban;
import dev.weir.ban.BanChanges;
import dev.weir.ban.BanHistory;
import dev.weir.ban.Precedent;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Bans in table {@code ban}, written by a {@link WriteQueue}. Safe for use by many threads. */
public final class JdbcBanHistory implements BanHistory {

    private static final int FETCH = 2_000;

    private final Database database;
    private final WriteQueue queue;
    private final String node;

    private final ActiveBans active;

    /** @param node the name of this Weir, kept with the bans that it makes */
    public JdbcBanHistory(Database database, WriteQueue queue, String node) {
        this.database = database;
        this.queue = queue;
        this.node = node;
        this.active = new ActiveBans(database, new BanRows());
    }

    @Override
    public CompletionStage<Void> record(Ban ban) {
        return queue.add("ban " + ban.id() + " of " + ban.principal(), handle -> {
            String by = ban.bannedBy();
            if (by == null) {
                insert(handle, ban);
            } else {
                database.as(SqlText.storable(by), handle, () -> insert(handle, ban));
            }
        });
    }

    @Override
    public CompletionStage<Boolean> lift(String id, String by, String reason, Instant at) {
        AtomicBoolean lifted = new AtomicBoolean();
        return queue.add("lift of ban " + id, handle -> {
                    int rows = database.as(SqlText.storable(by), handle, () -> update(handle, id, by, reason, at));
                    lifted.set(rows > 0);
                })
                .thenApply(done -> lifted.get());
    }

    /** Lifts a ban, unless somebody else has: this very lift may have been committed although its answer was lost. */
    private static int update(Handle handle, String id, String by, String reason, Instant at) {
        return handle.createUpdate(
                        "UPDATE ban SET lifted_at = :at, lifted_by = :by, lift_reason = :reason WHERE id = :id"
                                + " AND (lifted_at IS NULL OR (lifted_at = :at AND lifted_by = :by AND lift_reason = :reason))")
                .bind("id", id)
                .bind("at", SqlTime.of(at))
                .bind("by", SqlText.storable(by))
                .bind("reason", SqlText.storable(reason))
                .execute();
    }

    /** Inserts a ban, unless it is there: a commit may have been done although its answer was lost. */
    private int insert(Handle handle, Ban ban) {
        return handle.createUpdate(
                        "INSERT INTO ban (id, principal, scope, reason, route, tool, strikes, window_seconds, evidence,"
                                + " escalation, banned_by, started_at, expires_at, node)"
                                + " VALUES (:id, :principal, :scope, :reason, :route, :tool, :strikes, :window_seconds, :evidence,"
                                + " :escalation, :banned_by, :started_at, :expires_at, :node)"
                                + " ON CONFLICT DO NOTHING")
                .bind("id", ban.id())
                .bind("principal", SqlText.storable(ban.principal()))
                .bind("scope", ban.scope().word())
                .bind("reason", SqlText.storable(ban.reason()))
                .bind("route", storable(ban.route()))
                .bind("tool", storable(ban.tool()))
                .bind("strikes", ban.strikes())
                .bind("window_seconds", ban.windowSeconds())
                .bind("evidence", EvidenceJson.write(ban.evidence()))
                .bind("escalation", ban.escalation())
                .bind("banned_by", storable(ban.bannedBy()))
                .bind("started_at", SqlTime.of(ban.startedAt()))
                .bind("expires_at", SqlTime.of(ban.expiresAt()))
                .bind("node", node)
                .execute();
    }

    /**
     * {@inheritDoc} A row that cannot be read is left out, and complained of in the log.
     *
     * @throws org.jdbi.v3.core.JdbiException if the database does not answer
     */
    @Override
    public BanChanges changes(Instant now) {
        return active.changes(now);
    }

    /** {@inheritDoc} The latest of each is found here, because H2 would sort all on its disk. */
    @Override
    public List<Precedent> precedents(Instant after, Instant by) {
        Map<String, Precedent> latest = new HashMap<>();
        database.stream(handle -> handle.createQuery("SELECT principal, id, expires_at, escalation FROM ban"
                        + " WHERE lifted_at IS NULL AND expires_at > :after AND expires_at <= :by AND strikes > 0"
                        + " AND principal NOT LIKE 'address:%' AND principal NOT LIKE 'agent:%'")
                .bind("after", SqlTime.of(after))
                .bind("by", SqlTime.of(by))
                .setFetchSize(FETCH)
                .map((row, context) -> new Precedent(
                        row.getString("principal"),
                        row.getString("id"),
                        SqlTime.require(row, "expires_at"),
                        row.getInt("escalation")))
                .forEach(precedent -> latest.merge(precedent.principal(), precedent, Precedent::later)));
        return List.copyOf(latest.values());
    }

    private static @Nullable String storable(@Nullable String text) {
        return text == null ? null : SqlText.storable(text);
    }
}
