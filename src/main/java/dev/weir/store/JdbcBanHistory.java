package dev.weir.store;

import dev.weir.ban.Ban;
import dev.weir.ban.BanHistory;
import dev.weir.ban.BanRule;
import dev.weir.ban.Precedent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bans in table {@code ban}, written by a {@link WriteQueue}. Safe for use by many threads. */
public final class JdbcBanHistory implements BanHistory {

    private static final Logger log = LoggerFactory.getLogger(JdbcBanHistory.class);

    private final Jdbi jdbi;
    private final WriteQueue queue;
    private final String node;

    /** The unreadable rows that were complained of, so that a row is complained of once and not at every reading. */
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

    /** @param node the name of this Weir, kept with the bans that it makes */
    public JdbcBanHistory(Jdbi jdbi, WriteQueue queue, String node) {
        this.jdbi = jdbi;
        this.queue = queue;
        this.node = node;
    }

    @Override
    public CompletionStage<Void> record(Ban ban) {
        return queue.add("ban " + ban.id() + " of " + ban.principal(), handle -> insert(handle, ban));
    }

    @Override
    public CompletionStage<Boolean> lift(String id, String by, String reason, Instant at) {
        AtomicBoolean lifted = new AtomicBoolean();
        return queue.add("lift of ban " + id, handle -> lifted.set(update(handle, id, by, reason, at) > 0))
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
    private void insert(Handle handle, Ban ban) {
        handle.createUpdate(
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
    public List<Ban> activeAt(Instant now) {
        Set<String> bad = new HashSet<>();
        List<Ban> bans = jdbi.withHandle(handle -> handle
                .createQuery("SELECT * FROM ban WHERE lifted_at IS NULL AND expires_at > :now ORDER BY started_at, id")
                .bind("now", SqlTime.of(now))
                .map((row, context) -> readable(row, bad))
                .list()
                .stream()
                .flatMap(Optional::stream)
                .toList());
        unreadable.retainAll(bad);
        return bans;
    }

    @Override
    public List<Precedent> precedents(Instant endAfter) {
        return jdbi.withHandle(handle -> handle.createQuery(
                        "SELECT DISTINCT ON (principal) principal, id, expires_at, escalation FROM ban"
                                + " WHERE lifted_at IS NULL AND expires_at > :end_after AND strikes > 0"
                                + " AND principal NOT LIKE 'address:%' AND principal NOT LIKE 'agent:%'"
                                + " ORDER BY principal, expires_at DESC, id")
                .bind("end_after", SqlTime.of(endAfter))
                .map((row, context) -> new Precedent(
                        row.getString("principal"),
                        row.getString("id"),
                        SqlTime.require(row, "expires_at"),
                        row.getInt("escalation")))
                .list());
    }

    private Optional<Ban> readable(ResultSet row, Set<String> bad) throws SQLException {
        String id = row.getString("id");
        try {
            return Optional.of(ban(id, row));
        } catch (SQLException | RuntimeException e) {
            bad.add(id);
            if (unreadable.add(id)) {
                log.warn("ban_unreadable: row {} of table ban is left out: {}", id, DatabaseKind.reason(e));
            }
            return Optional.empty();
        }
    }

    private static Ban ban(String id, ResultSet row) throws SQLException {
        String reason = row.getString("reason");
        return new Ban(
                id,
                row.getString("principal"),
                scope(row.getString("scope")),
                reason == null ? "" : reason,
                row.getString("route"),
                row.getString("tool"),
                row.getInt("strikes"),
                row.getInt("window_seconds"),
                EvidenceJson.read(row.getString("evidence")),
                row.getInt("escalation"),
                row.getString("banned_by"),
                SqlTime.require(row, "started_at"),
                SqlTime.require(row, "expires_at"));
    }

    private static BanRule.Scope scope(@Nullable String word) {
        for (BanRule.Scope scope : BanRule.Scope.values()) {
            if (scope.word().equals(word)) {
                return scope;
            }
        }
        throw new IllegalArgumentException("scope is [" + word + "]");
    }

    private static @Nullable String storable(@Nullable String text) {
        return text == null ? null : SqlText.storable(text);
    }
}
