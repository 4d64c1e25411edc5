package dev.weir.app;

import dev.weir.admin.Guesses;
import dev.weir.admin.Tokens;
import dev.weir.auth.ApiKey;
import dev.weir.auth.ClientKey;
import dev.weir.auth.Role;
import dev.weir.limit.BucketSnapshots;
import dev.weir.limit.LocalBuckets;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Problem;
import org.jspecify.annotations.Nullable;

/** The token of the settings or the file, and the keys of clients that may look inside. Safe for use by many threads. */
final class OperatorTokens implements Tokens {

    /** The most addresses whose wrong tokens are counted apart. */
    private static final int MAX_GUESSERS = 100_000;

    /** What the token of the settings or the file is called. */
    private static final String TOKEN_OWNER = "admin";

    private final AdminToken token;
    private final PolicyBook policies;
    private final LocalBuckets wrong = new LocalBuckets(MAX_GUESSERS, System::nanoTime);
    private final Guesses guesses = new Guesses(wrong);

    OperatorTokens(AdminToken token, PolicyBook policies) {
        this.token = token;
        this.policies = policies;
    }

    @Override
    public @Nullable Owner owner(String digest) {
        if (token.hasDigest(digest)) {
            return new Owner(TOKEN_OWNER, Role.ADMIN);
        }
        ClientKey key = policies.byKeyDigest(digest);
        return key == null || !key.role().includes(Role.VIEWER)
                ? null
                : new Owner(key.asClient().principal().key(), key.role());
    }

    /** Slows down whoever tries tokens, wherever. */
    Guesses guesses() {
        return guesses;
    }

    /** Whether somebody at an address shows a good token; also not if that address has been wrong too often. */
    boolean mayLook(String address, String presented) {
        try {
            return guesses.attempt(address, () -> owner(ApiKey.digest(presented))) != null;
        } catch (Problem tooOften) {
            return false;
        }
    }

    /** Forgets those who have not guessed for long. */
    void sweep() {
        wrong.saveTo(BucketSnapshots.NONE);
        wrong.sweep();
    }
}
