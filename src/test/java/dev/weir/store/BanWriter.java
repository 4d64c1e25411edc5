package dev.weir.store;

import dev.weir.ban.Ban;
import dev.weir.ban.BanRule;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/** Records bans without end and says {@code committed} and the id of each that is. */
final class BanWriter {

    private BanWriter() {}

    public static void main(String[] arguments) throws Exception {
        Database database = Database.open(DatabaseHolder.settings(Path.of(arguments[0])));
        WriteQueue queue = WriteQueue.keeping(database);
        new Thread(queue).start();
        JdbcBanHistory history = new JdbcBanHistory(database, queue, "child");
        Semaphore underway = new Semaphore(8);
        while (true) {
            underway.acquire();
            Ban ban = ban(UUID.randomUUID().toString());
            history.record(ban).thenRun(() -> {
                System.out.println("committed " + ban.id());
                underway.release();
            });
        }
    }

    private static Ban ban(String id) {
        Instant now = Instant.now();
        return new Ban(
                id,
                "client:a",
                BanRule.Scope.TOOLS,
                "r",
                null,
                null,
                6,
                10,
                List.of(),
                0,
                null,
                now,
                now.plusSeconds(900));
    }
}
