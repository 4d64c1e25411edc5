package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BanSurvivesKillTest {

    private static final int ROUNDS = Integer.getInteger("weir.kill.rounds", 10);

    @TempDir
    Path directory;

    @Test
    void whatWasSaidToBeCommittedIsThereAfterTheProcessIsKilled() throws Exception {
        Set<String> committed = new LinkedHashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            try (Child child = Child.start(BanWriter.class, directory.toString())) {
                for (int i = 0; i < 20 + round; i++) {
                    committed.add(child.await("committed"));
                }
                child.kill();
                for (String id = child.await("committed"); id != null; id = child.await("committed")) {
                    committed.add(id);
                }
            }
            try (Database database = Database.open(DatabaseHolder.settings(directory))) {
                JdbcBanHistory history = new JdbcBanHistory(database, WriteQueue.keeping(database), "parent");
                Set<String> kept = history.changes(Instant.now()).holding().stream()
                        .map(ban -> ban.id())
                        .collect(Collectors.toSet());
                assertThat(kept).as("round %d", round).containsAll(committed).doesNotContainNull();
            }
        }
        assertThat(committed).doesNotContainNull().hasSizeGreaterThan(20 * ROUNDS);
    }
}
