package dev.weir.ban;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The precedent of each client that has one. Safe for use by many threads; refreshed by one at a time. */
final class Precedents {

    private record Entry(Precedent precedent, Standing standing) {}

    private final ConcurrentMap<String, Precedent> settled = new ConcurrentHashMap<>();

    /** Those whose ban may not have reached the history yet. */
    private final ConcurrentMap<String, Entry> fresh = new ConcurrentHashMap<>();

    /** How many bans before make a ban longer that begins now. */
    int escalation(String principal, Instant now, Duration forget) {
        Entry own = fresh.get(principal);
        Precedent precedent = own != null ? own.precedent() : settled.get(principal);
        if (precedent == null || !now.isBefore(precedent.expiresAt().plus(forget))) {
            return 0;
        }
        return (int) Math.min(precedent.escalation() + 1L, Integer.MAX_VALUE);
    }

    /** Makes a ban of our own the precedent of its principal, if it can be one. */
    void add(Standing standing) {
        Precedent precedent = Precedent.of(standing.ban());
        if (precedent != null) {
            fresh.put(precedent.principal(), new Entry(precedent, standing));
        }
    }

    /** Takes over what comes of a ban that the history has told of. */
    void learn(Ban ban) {
        Precedent precedent = Precedent.of(ban);
        if (precedent != null) {
            settled.merge(precedent.principal(), precedent, Precedent::later);
        }
    }

    /** Drops what came of a ban, because it was lifted. */
    void lifted(Ban ban) {
        settled.computeIfPresent(
                ban.principal(), (principal, precedent) -> precedent.banId().equals(ban.id()) ? null : precedent);
        fresh.computeIfPresent(
                ban.principal(), (principal, entry) -> entry.precedent().banId().equals(ban.id()) ? null : entry);
    }

    /** Drops what came of a ban of which no more is known than its id. */
    void lifted(String banId) {
        settled.values().removeIf(precedent -> precedent.banId().equals(banId));
        fresh.values().removeIf(entry -> entry.precedent().banId().equals(banId));
    }

    /**
     * Takes over what the history says of the bans that have ended, and those that hold, but for bans that are known here to be
     * lifted.
     */
    void refresh(BanHistory history, Instant after, Instant now, Sentences sentences, Predicate<String> lifted) {
        Map<String, Entry> known = new HashMap<>(fresh);
        known.values().removeIf(entry -> !entry.standing().isRecorded());
        Map<String, Precedent> read = new HashMap<>();
        Consumer<@Nullable Precedent> reader = precedent -> {
            if (precedent != null && !lifted.test(precedent.banId())) {
                read.merge(precedent.principal(), precedent, Precedent::later);
            }
        };
        history.precedents(after, now).forEach(reader);
        sentences.forEach(standing -> reader.accept(Precedent.of(standing.ban())));
        settled.putAll(read);
        settled.keySet().retainAll(read.keySet());
        known.forEach(fresh::remove);
    }
}
