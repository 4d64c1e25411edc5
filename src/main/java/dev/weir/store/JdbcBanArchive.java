package dev.weir.store;

import dev.weir.ban.BanArchive;
import dev.weir.ban.BanRecord;
import dev.weir.ban.Place;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Bans out of table {@code ban}. Every method throws {@link org.jdbi.v3.core.JdbiException} if the database does not answer. Safe
 * for use by many threads.
 */
public final class JdbcBanArchive implements BanArchive {

    private static final String SELECT =
            "SELECT id, principal, scope, reason, route, tool, strikes, window_seconds, evidence,"
                    + " escalation, banned_by, started_at, expires_at, lifted_at, lifted_by, lift_reason, node FROM ban";

    private final Jdbi jdbi;

    public JdbcBanArchive(Database database) {
        this.jdbi = database.jdbi();
    }

    @Override
    public List<BanRecord> page(Filter filter, @Nullable Place after, int most) {
        HistoryQuery query = new HistoryQuery()
                .isIndexed("principal", filter.principal())
                .isIndexed("tool", filter.tool())
                .isIndexed("route", filter.route())
                .between("started_at", filter.from(), filter.until())
                .after("started_at", after, false);
        BanRecord.State state = filter.state();
        if (state == BanRecord.State.LIFTED) {
            query.where("lifted_at IS NOT NULL");
        } else if (state != null) {
            String over = state == BanRecord.State.ENDED ? "<=" : ">";
            query.where("lifted_at IS NULL AND expires_at " + over + " :now", "now", SqlTime.of(filter.now()));
        }
        return jdbi.withHandle(handle -> query.page(handle, SELECT, "started_at", most)
                .map((row, context) -> read(row))
                .list());
    }

    @Override
    public @Nullable BanRecord find(String id) {
        return jdbi.withHandle(handle -> new HistoryQuery()
                .is("id", id)
                .ask(handle, SELECT, "")
                .map((row, context) -> read(row))
                .findFirst()
                .orElse(null));
    }

    private static BanRecord read(ResultSet row) throws SQLException {
        Instant lifted = SqlTime.read(row, "lifted_at");
        BanRecord.Lift lift = lifted == null
                ? null
                : new BanRecord.Lift(lifted, row.getString("lifted_by"), row.getString("lift_reason"));
        String evidence = row.getString("evidence");
        return new BanRecord(
                BanRows.ban(row.getString("id"), row, EvidenceJson.read(evidence)), lift, row.getString("node"));
    }
}
