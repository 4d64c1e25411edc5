package dev.weir.store;

import dev.weir.ban.Ban;
import dev.weir.ban.BanRule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads rows of table {@code ban}, which anybody may have written. A row that cannot be read is complained of in the log, each
 * time that it has been written.
 */
final class BanRows {

    private static final Logger log = LoggerFactory.getLogger(BanRows.class);

    /** A ban without its evidence; null if the row makes none. */
    @Nullable
    Ban read(String id, ResultSet row) {
        try {
            return ban(id, row, List.of());
        } catch (SQLException | RuntimeException e) {
            log.atWarn()
                    .addKeyValue("ban_id", id)
                    .addKeyValue("reason", DatabaseKind.reason(e))
                    .log("ban_unreadable");
            return null;
        }
    }

    /** @throws IllegalArgumentException if the row makes none */
    static Ban ban(String id, ResultSet row, List<Ban.Evidence> evidence) throws SQLException {
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
                evidence,
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
}
