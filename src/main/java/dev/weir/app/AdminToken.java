package dev.weir.app;

import dev.weir.auth.ApiKey;
import dev.weir.store.OwnerOnlyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The operator's token: a setting, or made at the first start into a file that only its owner can read. */
final class AdminToken {

    private static final String FILE = "admin-token";

    private final @Nullable Path file;
    private final String digest;

    private AdminToken(@Nullable Path file, String token) {
        this.file = file;
        this.digest = token.isEmpty() ? "" : ApiKey.digest(token);
    }

    /**
     * Takes the token of the settings; if there is none, reads the file, and makes it if it is not there.
     *
     * @param set the token of the settings
     */
    static AdminToken keep(Optional<String> set, Path dataDir) {
        if (set.isPresent()) {
            return new AdminToken(null, set.get());
        }
        Path file = dataDir.resolve(FILE);
        try {
            String token = OwnerOnlyFile.read(file);
            if (token == null) {
                token = ApiKey.make(new SecureRandom());
                OwnerOnlyFile.createDirectories(dataDir);
                OwnerOnlyFile.write(file, token);
            }
            return new AdminToken(file.toAbsolutePath().normalize(), token.strip());
        } catch (IOException e) {
            throw new UncheckedIOException("the admin token cannot be kept in " + file, e);
        }
    }

    /** Where it is kept, as the log says it. */
    String place() {
        return file == null ? "mcp.admin.token" : file.toString();
    }

    /** Whether this is the digest of the token. What time that takes tells nothing of the token itself. */
    boolean hasDigest(String presented) {
        return digest.equals(presented);
    }
}
