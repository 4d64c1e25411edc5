package dev.weir.app;

import dev.weir.auth.ApiKey;
import dev.weir.store.OwnerOnlyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/** The operator's token, made at the first start into a file that only its owner can read. */
final class AdminToken {

    private static final String FILE = "admin-token";

    private AdminToken() {}

    /** Makes the file unless there is one, and answers its place. */
    static Path keep(Path dataDir) {
        Path file = dataDir.resolve(FILE);
        try {
            if (OwnerOnlyFile.read(file) == null) {
                OwnerOnlyFile.createDirectories(dataDir);
                OwnerOnlyFile.write(file, ApiKey.make(new SecureRandom()));
            }
            return file.toAbsolutePath().normalize();
        } catch (IOException e) {
            throw new UncheckedIOException("the admin token cannot be kept in " + file, e);
        }
    }
}
