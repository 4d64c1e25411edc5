package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@OnEveryDatabase
@Timeout(60)
class JdbcSecretsTest {

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;

    JdbcSecretsTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static byte[] bytes(int value) {
        byte[] bytes = new byte[JdbcSecrets.LENGTH];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    @Test
    void theFirstSecretOfANameStays() {
        JdbcSecrets secrets = new JdbcSecrets(database);
        assertThat(secrets.get("a", bytes(-1))).isEqualTo(bytes(-1));
        assertThat(secrets.get("a", bytes(2))).isEqualTo(bytes(-1));
        assertThat(secrets.get("b", bytes(2))).isEqualTo(bytes(2));
    }

    @Test
    void nodesThatAskAtOnceGetTheSame() throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < 20; round++) {
                String name = "secret-" + round;
                CyclicBarrier together = new CyclicBarrier(3);
                List<Callable<byte[]>> asking = new ArrayList<>();
                for (int node = 1; node <= 3; node++) {
                    byte[] fresh = bytes(node);
                    asking.add(() -> {
                        together.await();
                        return new JdbcSecrets(database).get(name, fresh);
                    });
                }
                List<byte[]> got = new ArrayList<>();
                for (Future<byte[]> one : nodes.invokeAll(asking, 30, TimeUnit.SECONDS)) {
                    got.add(one.get());
                }
                assertThat(got).allMatch(secret -> Arrays.equals(secret, got.get(0)));
            }
        } finally {
            nodes.shutdownNow();
        }
    }

    @Test
    void nobodyWritesItsContentDown() {
        new JdbcSecrets(database).get("a", bytes(1));
        database.jdbi().useHandle(handle -> handle.execute("UPDATE gateway_secret SET name = 'b'"));
        int events = database.jdbi()
                .withHandle(handle -> handle.select("SELECT COUNT(*) FROM admin_event")
                        .mapTo(Integer.class)
                        .one());
        assertThat(events).isZero();
    }
}
