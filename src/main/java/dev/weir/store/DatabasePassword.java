package dev.weir.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The password of the database: the one that is set, else, for an H2 file, one that is made once and kept beside it. */
final class DatabasePassword {

    private static final String FILE = "db-password";
    private static final int BYTES = 24;

    private DatabasePassword() {}

    /** The password, made if this is the first start. */
    static String findOrMake(DatabaseSettings settings, Path database)
            throws DatabaseUnavailableException, IOException {
        if (settings.password() != null || Files.exists(H2Url.onDisk(database)) || kept(settings) != null) {
            return find(settings, database);
        }
        String password = random();
        OwnerOnlyFile.createDirectories(settings.dataDir());
        OwnerOnlyFile.write(settings.dataDir().resolve(FILE), password);
        return password;
    }

    /** The password of a database that exists. */
    static String find(DatabaseSettings settings, Path database) throws DatabaseUnavailableException, IOException {
        String password = settings.password() != null ? settings.password() : kept(settings);
        if (password == null) {
            throw new DatabaseUnavailableException("database " + DatabaseKind.shown(settings.url()) + " exists ("
                    + H2Url.onDisk(database) + "), but no password is set and "
                    + settings.dataDir().resolve(FILE) + " is not there");
        }
        return password;
    }

    /** A new secret. */
    static String random() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    private static @Nullable String kept(DatabaseSettings settings) throws IOException {
        return OwnerOnlyFile.read(settings.dataDir().resolve(FILE));
    }
}
