package dev.weir.store;

import dev.weir.ban.Place;
import dev.weir.policy.AdminEvent;
import dev.weir.policy.AdminEvents;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * What operators have changed, out of table {@code admin_event}. Throws {@link org.jdbi.v3.core.JdbiException} if the database
 * does not answer. Safe for use by many threads.
 */
public final class JdbcAdminEvents implements AdminEvents {

    private static final String SELECT =
            "SELECT id, happened_at, changed_by, action, table_name, row_name, row_before, row_after FROM admin_event";

    private final Jdbi jdbi;

    public JdbcAdminEvents(Database database) {
        this.jdbi = database.jdbi();
    }

    @Override
    public List<AdminEvent> page(Filter filter, @Nullable Place after, int most) {
        HistoryQuery query = new HistoryQuery()
                .isIndexed("row_name", filter.row())
                .isIndexed("changed_by", filter.by())
                .isIndexed("table_name", filter.table())
                .is("action", filter.action())
                .between("happened_at", filter.from(), filter.until())
                .after("happened_at", after, true);
        return jdbi.withHandle(handle -> query.page(handle, SELECT, "happened_at", most)
                .map((row, context) -> new AdminEvent(
                        row.getLong("id"),
                        SqlTime.require(row, "happened_at"),
                        row.getString("changed_by"),
                        row.getString("action"),
                        row.getString("table_name"),
                        row.getString("row_name"),
                        row.getString("row_before"),
                        row.getString("row_after")))
                .list());
    }
}
