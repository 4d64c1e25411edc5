package dev.weir.store;

import java.util.HexFormat;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Secrets in table {@code gateway_secret}, which all nodes share. Safe for use by many threads. */
public final class JdbcSecrets {

    /** How many bytes a secret has. */
    public static final int LENGTH = 32;

    private final Jdbi jdbi;

    public JdbcSecrets(Database database) {
        this.jdbi = database.jdbi();
    }

    /**
     * The secret of a name. Of nodes that ask for it at the same time all get the same.
     *
     * @param fresh becomes the secret where there is none yet; {@link #LENGTH} bytes
     */
    public byte[] get(String name, byte[] fresh) {
        return jdbi.inTransaction(handle -> {
            Optional<String> there = find(handle, name);
            if (there.isEmpty()) {
                handle.createUpdate("INSERT INTO gateway_secret (name, content) VALUES (:name, :content)"
                                + " ON CONFLICT DO NOTHING")
                        .bind("name", name)
                        .bind("content", HexFormat.of().formatHex(fresh))
                        .execute();
                // Not what was to be written: another node may have been faster.
                there = find(handle, name);
            }
            return HexFormat.of()
                    .parseHex(there.orElseThrow(() -> new IllegalStateException("secret " + name + " has vanished")));
        });
    }

    private static Optional<String> find(Handle handle, String name) {
        return handle.createQuery("SELECT content FROM gateway_secret WHERE name = :name")
                .bind("name", name)
                .mapTo(String.class)
                .findOne();
    }
}
