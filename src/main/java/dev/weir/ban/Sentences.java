package dev.weir.ban;

import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The sentences of all principals that are under one. Safe for use by many threads; looking one up takes no lock. */
final class Sentences {

    private final ConcurrentMap<String, Sentence> sentences = new ConcurrentHashMap<>();

    /** The ban that is to be spoken of now; null if the principal is under none. */
    @Nullable
    Standing find(String principal, InstantSource clock) {
        Sentence sentence = sentences.get(principal);
        return sentence == null ? null : sentence.at(clock.millis());
    }

    /** Adds a ban, in the place of one of the same id if there is one. Answers whether there was none. */
    boolean put(Standing standing) {
        boolean[] isNew = {true};
        sentences.compute(standing.ban().principal(), (principal, sentence) -> {
            Sentence others =
                    sentence == null ? null : sentence.without(standing.ban().id());
            isNew[0] = others == sentence;
            return others == null ? Sentence.of(standing) : others.with(standing);
        });
        return isNew[0];
    }

    /** Drops a ban; answers whether there was one. */
    boolean drop(String principal, String banId) {
        boolean[] dropped = {false};
        sentences.computeIfPresent(principal, (same, sentence) -> {
            Sentence left = sentence.without(banId);
            dropped[0] = left != sentence;
            return left;
        });
        return dropped[0];
    }

    /** Looks for a ban by its id alone, through all of them; null if there is none. */
    @Nullable
    Standing search(String banId) {
        for (Sentence sentence : sentences.values()) {
            for (Standing standing : sentence.standings()) {
                if (standing.ban().id().equals(banId)) {
                    return standing;
                }
            }
        }
        return null;
    }

    /** How many bans hold at an instant. */
    long count(long nowMillis) {
        long[] holding = {0};
        forEach(standing -> holding[0] += standing.holdsAt(nowMillis) ? 1 : 0);
        return holding[0];
    }

    /** All bans, those too that have ended and are still to be dropped. */
    void forEach(Consumer<Standing> each) {
        sentences.values().forEach(sentence -> sentence.standings().forEach(each));
    }
}
