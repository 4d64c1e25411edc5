package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.limit.Limit;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyRows;
import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.JdbcPolicyStore;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A policy on PostgreSQL is in force within a second: because the database tells of it, and whether it does or not. */
@Timeout(60)
class PostgresPolicyTest {

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    @Test
    void anEditIsInForceWithinASecondAlthoughNobodyLooks() throws Exception {
        DatabaseSettings settings = DatabaseUnderTest.POSTGRESQL.fresh(directory);
        Limit limit = Limit.of(100, 50);
        PolicyBase base = new PolicyBase(true, limit, limit, null);
        PolicyRows nothing =
                new PolicyRows(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
        PolicyBook book = new PolicyBook(Policy.compile(nothing, base), Clock.systemUTC());
        try (Database node = Database.open(settings);
                Database editor = Database.open(settings)) {
            PolicyKeeper keeper = new PolicyKeeper(new JdbcPolicyStore(node), base, book, PolicyWatch.NONE);
            try (Changes changes = new Changes(node, keeper::refresh)) {
                changes.start();
                await().until(keeper::isLoaded);
                editor.jdbi().useTransaction(handle -> {
                    handle.execute("INSERT INTO route (prefix, upstream_url) VALUES ('/a', 'http://127.0.0.1:1')");
                    handle.execute("INSERT INTO route (prefix, upstream_url) VALUES ('/b', 'http://127.0.0.1:1')");
                });
                await().atMost(ONE_SECOND).until(() -> book.current().routes().size() == 2);
                editor.jdbi().useHandle(handle -> handle.execute("TRUNCATE route CASCADE"));
                await().atMost(ONE_SECOND).until(() -> book.current().routes().isEmpty());
            }
        }
    }

    @Test
    void aWholeWeirRunsOnPostgresqlAndAnEditABanAndALiftBySqlAreInForceWithinASecond() throws Exception {
        DatabaseSettings settings = DatabaseUnderTest.POSTGRESQL.fresh(directory);
        try (StubUpstream upstream = new StubUpstream(
                        (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
                RunningWeir weir = RunningWeir.on(settings, upstream.base());
                Wire wire = weir.wire()) {
            assertThat(called(wire).head().values("X-RateLimit-Limit")).containsExactly("20");
            weir.sql("UPDATE tool_tier SET burst = 25 WHERE name = 'standard'");
            await().atMost(ONE_SECOND)
                    .until(() -> called(wire).head().values("X-RateLimit-Limit").contains("25"));

            weir.sql(
                    "INSERT INTO ban (principal, expires_at) VALUES ('client:c1', CURRENT_TIMESTAMP + INTERVAL '1' HOUR)");
            await().atMost(ONE_SECOND).until(() -> called(wire).body().contains("banned"));
            weir.sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP");
            await().atMost(ONE_SECOND).until(() -> called(wire).body().contains("result"));
        }
    }

    private static Wire.Answer called(Wire wire) throws IOException {
        wire.send(post(K1, call(1, "T2")));
        return wire.answer();
    }
}
