package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A running Weir deletes by itself what need not be kept of the history any longer. */
@Timeout(60)
class RetentionTest {

    @TempDir
    Path directory;

    @Test
    void whatIsOldGoesAndWhatIsNewStays() throws Exception {
        List<String> edits = List.of(
                "INSERT INTO setting (name, content) VALUES ('retention.throttle_event_days', '2')",
                "INSERT INTO throttle_event (happened_at, principal, level, calls) VALUES"
                        + " (CURRENT_TIMESTAMP - INTERVAL '3' DAY, 'client:old', 'tool', 1),"
                        + " (CURRENT_TIMESTAMP - INTERVAL '1' DAY, 'client:new', 'tool', 1)");
        try (RunningWeir weir = RunningWeir.startWith(edits, directory, "http://127.0.0.1:9/mcp")) {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(throttled(weir)).containsExactly("client:new"));
        }
    }

    private static List<String> throttled(RunningWeir weir) {
        return weir.database()
                .withHandle(handle -> handle.createQuery("SELECT principal FROM throttle_event")
                        .mapTo(String.class)
                        .list());
    }
}
