package dev.weir.app;

import dev.weir.auth.ApiKey;
import dev.weir.store.OwnerOnlyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;

/** The operator's token, made at the first start into a file that only its owner can read. */
final class AdminToken {

    private static final String FILE = "admin-token";

    private final Path file;
    private final byte[] token;

    private AdminToken(Path file, String token) {
        this.file = file;
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the file, and makes it if there is none. */
    static AdminToken keep(Path dataDir) {
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

    /** Where it is kept. */
    Path file() {
        return file;
    }

    /** Whether this is the token, in a time that does not tell how much of it is right. */
    boolean is(String presented) {
        return token.length > 0 && MessageDigest.isEqual(token, presented.getBytes(StandardCharsets.UTF_8));
    }
}
