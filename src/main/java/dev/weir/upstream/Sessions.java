package dev.weir.upstream;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.URI;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which target has opened a session, for the sessions that were used last. What is forgotten goes where its owner's calls go, which
 * is right as long as that target was up when the session was opened. Safe for use by many threads.
 */
final class Sessions {

    private static final int MOST = 65_536;
    private static final int LONGEST_ID = 256;
    private static final Duration UNUSED = Duration.ofHours(24);

    /** Of one owner, so that nobody chooses a target by naming another's session. */
    private record Key(String route, String owner, String id) {}

    private final Cache<Key, URI> targets;

    Sessions(LongSupplier nanoClock) {
        this.targets = Caffeine.newBuilder()
                .maximumSize(MOST)
                .expireAfterAccess(UNUSED)
                .ticker(nanoClock::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    @Nullable
    URI find(String route, String owner, @Nullable String id) {
        return id == null || id.length() > LONGEST_ID ? null : targets.getIfPresent(new Key(route, owner, id));
    }

    void put(String route, String owner, String id, URI target) {
        if (id.length() <= LONGEST_ID) {
            Key key = new Key(route, owner, id);
            // Some servers name the session in every answer.
            if (!target.equals(targets.getIfPresent(key))) {
                targets.put(key, target);
            }
        }
    }
}
