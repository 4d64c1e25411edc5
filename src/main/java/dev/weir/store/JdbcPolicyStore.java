package dev.weir.store;

import dev.weir.policy.PolicyRows;
import dev.weir.policy.PolicyStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/** The policy's rows in SQL tables. Rows come in the order of their keys, so that equal tables give equal rows. */
public final class JdbcPolicyStore implements PolicyStore {

    private final Jdbi jdbi;
    private final TransactionIsolationLevel oneInstant;

    public JdbcPolicyStore(Database database) {
        this.jdbi = database.jdbi();
        this.oneInstant = database.oneInstant();
    }

    /** @throws org.jdbi.v3.core.JdbiException if the database does not answer */
    @Override
    public PolicyRows load() {
        return jdbi.inTransaction(oneInstant, JdbcPolicyStore::load);
    }

    /** The same as a transaction sees it that has begun. */
    static PolicyRows load(Handle handle) {
        return new PolicyRows(
                handle.createQuery("SELECT * FROM tool_tier ORDER BY name")
                        .map((row, context) -> tier(row))
                        .list(),
                handle.createQuery("SELECT * FROM route ORDER BY prefix")
                        .map((row, context) -> route(row))
                        .list(),
                handle.createQuery("SELECT * FROM tool ORDER BY route, kind, name")
                        .map((row, context) -> tool(row))
                        .list(),
                handle.createQuery("SELECT * FROM client ORDER BY id")
                        .map((row, context) -> client(row))
                        .list(),
                handle.createQuery("SELECT * FROM client_key ORDER BY sha256")
                        .map((row, context) -> clientKey(row))
                        .list(),
                handle.createQuery("SELECT * FROM client_tool ORDER BY client, route, kind, tool")
                        .map((row, context) -> clientTool(row))
                        .list(),
                handle.createQuery("SELECT * FROM setting ORDER BY name")
                        .map((row, context) -> setting(row))
                        .list(),
                handle.createQuery("SELECT * FROM route_target ORDER BY route, url")
                        .map((row, context) -> routeTarget(row))
                        .list(),
                handle.createQuery("SELECT * FROM route_header ORDER BY route, name")
                        .map((row, context) -> routeHeader(row))
                        .list(),
                handle.createQuery("SELECT * FROM client_route ORDER BY client, route")
                        .map((row, context) -> clientRoute(row))
                        .list(),
                handle.createQuery("SELECT * FROM client_token ORDER BY claim, content")
                        .map((row, context) -> clientToken(row))
                        .list());
    }

    private static PolicyRows.Tier tier(ResultSet row) throws SQLException {
        return new PolicyRows.Tier(
                row.getString("name"),
                row.getDouble("rate_per_second"),
                row.getLong("burst"),
                row.getInt("cooldown_seconds"),
                row.getInt("max_concurrent"),
                row.getInt("max_wait_ms"),
                row.getString("mode"));
    }

    private static PolicyRows.Route route(ResultSet row) throws SQLException {
        return new PolicyRows.Route(
                row.getString("prefix"),
                row.getString("kind"),
                row.getString("upstream_url"),
                row.getObject("rate_per_second") == null ? null : row.getDouble("rate_per_second"),
                row.getObject("burst") == null ? null : row.getLong("burst"),
                row.getString("refusal_form"),
                row.getString("batch"),
                transit(row),
                new PolicyRows.HealthCheck(
                        row.getString("health_check"),
                        row.getString("health_check_path"),
                        row.getInt("health_check_seconds")),
                breaker(row),
                new PolicyRows.Guard(
                        row.getString("access"),
                        row.getString("scopes"),
                        row.getString("identity"),
                        row.getString("identity_secret")),
                row.getBoolean("enabled"));
    }

    private static PolicyRows.Transit transit(ResultSet row) throws SQLException {
        return new PolicyRows.Transit(
                row.getBoolean("strip_prefix"),
                row.getBoolean("preserve_host"),
                row.getString("error_mode"),
                row.getString("tls"),
                row.getInt("connect_timeout_ms"),
                row.getInt("first_byte_timeout_ms"),
                row.getInt("idle_timeout_ms"),
                row.getInt("total_timeout_ms"),
                row.getInt("max_connections"),
                row.getInt("max_queued"),
                row.getLong("max_body_bytes"));
    }

    private static PolicyRows.Breaker breaker(ResultSet row) throws SQLException {
        return new PolicyRows.Breaker(
                row.getBoolean("breaker_enabled"),
                row.getInt("breaker_failures"),
                row.getInt("breaker_failure_percent"),
                row.getInt("breaker_min_calls"),
                row.getInt("breaker_window_seconds"),
                row.getInt("breaker_slow_ms"),
                row.getInt("breaker_slow_percent"),
                row.getInt("breaker_open_seconds"),
                row.getInt("breaker_probes"));
    }

    private static PolicyRows.Tool tool(ResultSet row) throws SQLException {
        return new PolicyRows.Tool(
                row.getString("route"),
                row.getString("kind"),
                row.getString("name"),
                row.getString("tier"),
                row.getInt("cost"),
                row.getString("access"),
                row.getString("scopes"),
                row.getBoolean("enabled"));
    }

    private static PolicyRows.Client client(ResultSet row) throws SQLException {
        return new PolicyRows.Client(
                row.getString("id"),
                row.getString("name"),
                row.getBoolean("enabled"),
                row.getBoolean("exempt"),
                row.getString("scopes"),
                row.getString("role"));
    }

    private static PolicyRows.ClientRoute clientRoute(ResultSet row) throws SQLException {
        return new PolicyRows.ClientRoute(
                row.getString("client"), row.getString("route"), row.getBoolean("allowed"), row.getString("tools"));
    }

    private static PolicyRows.ClientToken clientToken(ResultSet row) throws SQLException {
        return new PolicyRows.ClientToken(row.getString("claim"), row.getString("content"), row.getString("client"));
    }

    private static PolicyRows.ClientKey clientKey(ResultSet row) throws SQLException {
        return new PolicyRows.ClientKey(
                row.getString("sha256"),
                row.getString("client"),
                SqlTime.read(row, "expires_at"),
                SqlTime.read(row, "revoked_at"));
    }

    private static PolicyRows.ClientTool clientTool(ResultSet row) throws SQLException {
        return new PolicyRows.ClientTool(
                row.getString("client"),
                row.getString("route"),
                row.getString("kind"),
                row.getString("tool"),
                row.getString("tier"),
                row.getBoolean("allowed"));
    }

    private static PolicyRows.RouteTarget routeTarget(ResultSet row) throws SQLException {
        return new PolicyRows.RouteTarget(row.getString("route"), row.getString("url"), row.getBoolean("enabled"));
    }

    private static PolicyRows.RouteHeader routeHeader(ResultSet row) throws SQLException {
        return new PolicyRows.RouteHeader(row.getString("route"), row.getString("name"), row.getString("content"));
    }

    private static PolicyRows.Setting setting(ResultSet row) throws SQLException {
        return new PolicyRows.Setting(row.getString("name"), row.getString("content"));
    }
}
