package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Principal;
import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.SqlConnections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** Everything that was told of bans since the first start, held against what the table says and what is told later. */
final class KilledHistory {

    /** An answer may speak of a ban before it is safe, but only after having waited so long. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static final int STRIKES = 6;
    private static final int MOST_ASKED = 100;

    private record Row(String principal, Instant expiresAt, int strikes, int evidence, boolean lifted, String node) {}

    private final DatabaseSettings settings;
    private final Map<String, KillLoad.Announced> holding = new LinkedHashMap<>();
    private final Map<String, String> ended = new HashMap<>();
    private final Set<String> lifted = new HashSet<>();
    private int late;

    KilledHistory(DatabaseSettings settings) {
        this.settings = settings;
    }

    /** Adds a ban that is over, and one that was lifted. */
    void addEnded() throws Exception {
        try (Connection connection = SqlConnections.open(settings, "test");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO ban (id, principal, started_at, expires_at, lifted_at) VALUES (?, ?, ?, ?, ?)")) {
            OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
            for (boolean over : new boolean[] {true, false}) {
                String id = over ? "over" : "lifted";
                insert.setString(1, id);
                insert.setString(2, principal(id));
                insert.setObject(3, now.minusHours(2));
                insert.setObject(4, over ? now.minusHours(1) : now.plusHours(1));
                insert.setObject(5, over ? null : now);
                insert.executeUpdate();
                ended.put(id, id);
            }
        }
    }

    /** Lifts one of these bans by SQL. */
    void liftOne(List<KillLoad.Announced> announced) throws Exception {
        if (announced.isEmpty()) {
            return;
        }
        KillLoad.Announced one = announced.get(announced.size() / 2);
        try (Connection connection = SqlConnections.open(settings, "test");
                PreparedStatement update = connection.prepareStatement(
                        "UPDATE ban SET lifted_at = CURRENT_TIMESTAMP, lifted_by = 'test' WHERE id = ?")) {
            update.setString(1, one.banId());
            if (update.executeUpdate() == 1) {
                lifted.add(one.banId());
                ended.put(one.banId(), one.agent());
            }
        }
    }

    /** Holds the table against all that has been told, while no Weir runs. */
    void afterKill(List<KillLoad.Announced> announced) throws Exception {
        for (KillLoad.Announced ban : announced) {
            if (ban.took().compareTo(PATIENCE) >= 0) {
                late++;
            } else if (!lifted.contains(ban.banId())) {
                holding.put(ban.banId(), ban);
            }
        }
        Map<String, Row> rows = rows();
        assertThat(rows.keySet()).containsAll(holding.keySet()).containsAll(ended.keySet());
        Set<String> principals = new HashSet<>();
        rows.forEach((id, row) -> {
            assertThat(principals.add(row.principal()))
                    .as("%s is banned twice", row)
                    .isTrue();
            if (!row.node().isEmpty()) {
                assertThat(row.strikes()).as("%s", row).isEqualTo(STRIKES);
                assertThat(row.evidence()).as("%s", row).isEqualTo(STRIKES);
            }
        });
        holding.forEach((id, ban) -> {
            Row row = rows.getOrDefault(id, new Row("", Instant.EPOCH, 0, 0, false, ""));
            assertThat(row.principal()).isEqualTo(principal(ban.agent()));
            // Told in whole seconds, and not too early.
            assertThat(row.expiresAt()).isBetween(ban.until().minusMillis(999), ban.until());
            assertThat(row.lifted()).isFalse();
        });
        lifted.forEach(id -> assertThat(rows.get(id)).matches(Row::lifted));
    }

    /** Holds what agents are told after a restart against what they were told before. */
    void afterRestart(AgentCaller caller) throws Exception {
        List<KillLoad.Announced> asked = new ArrayList<>(holding.values());
        Collections.reverse(asked);
        for (KillLoad.Announced ban : asked.subList(0, Math.min(asked.size(), MOST_ASKED))) {
            AgentCaller.Answer answer = caller.call(ban.agent(), "inspect");
            assertThat(answer.told("banId")).as("%s: %s", ban, answer).isEqualTo(ban.banId());
            assertThat(Instant.parse(answer.told("bannedUntil"))).isEqualTo(ban.until());
        }
        for (String agent : ended.values()) {
            AgentCaller.Answer answer = caller.call(agent, "drip");
            assertThat(answer.code()).as("%s: %s", agent, answer).isNotEqualTo(AgentCaller.BANNED);
        }
    }

    private Map<String, Row> rows() throws Exception {
        JsonMapper json = new JsonMapper();
        try (Database database = Database.open(settings)) {
            return database.jdbi().withHandle(handle -> {
                Map<String, Row> rows = new HashMap<>();
                handle.createQuery("SELECT id, principal, expires_at, strikes, evidence, lifted_at, node FROM ban")
                        .map((row, context) -> {
                            String evidence = row.getString("evidence");
                            return rows.put(
                                    row.getString("id"),
                                    new Row(
                                            row.getString("principal"),
                                            row.getObject("expires_at", OffsetDateTime.class)
                                                    .toInstant(),
                                            row.getInt("strikes"),
                                            evidence == null
                                                    ? 0
                                                    : json.readTree(evidence).size(),
                                            row.getObject("lifted_at") != null,
                                            row.getString("node")));
                        })
                        .list();
                return rows;
            });
        }
    }

    private static String principal(String agent) {
        return Principal.agent("127.0.0.1", agent).key();
    }

    @Override
    public String toString() {
        return holding.size() + " bans told and kept, " + lifted.size() + " lifted, " + late + " told after "
                + PATIENCE.toMillis() + " ms without waiting any longer";
    }
}
