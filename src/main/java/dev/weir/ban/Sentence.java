package dev.weir.ban;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All bans of one principal, of which several may hold at once. Immutable. */
final class Sentence {

    /** At least one; in the order in which they are to be spoken of. */
    private final Standing[] standings;

    /** Nearly always the only one. It and its end lie here, so that a look-up has no further to go. */
    private final Standing first;

    private final long firstEndMillis;

    private Sentence(List<Standing> standings) {
        this.standings = standings.stream().sorted(Standing::firstToSay).toArray(Standing[]::new);
        this.first = this.standings[0];
        this.firstEndMillis = first.endMillis();
    }

    /** The sentence of one ban. */
    static Sentence of(Standing only) {
        return new Sentence(List.of(only));
    }

    /** This sentence with one more ban. */
    Sentence with(Standing another) {
        return new Sentence(
                Stream.concat(Arrays.stream(standings), Stream.of(another)).toList());
    }

    /** The ban under which the principal is at an instant; null if all have ended. */
    @Nullable
    Standing at(long millis) {
        if (millis < firstEndMillis) {
            return first;
        }
        for (Standing standing : standings) {
            if (standing.holdsAt(millis)) {
                return standing;
            }
        }
        return null;
    }

    /** All of them, ended ones too. */
    List<Standing> standings() {
        return List.of(standings);
    }

    /** What is left without the ban of an id: this very sentence if it has none of that id; null if nothing is left. */
    @Nullable
    Sentence without(String banId) {
        List<Standing> left = Arrays.stream(standings)
                .filter(standing -> !standing.ban().id().equals(banId))
                .toList();
        if (left.size() == standings.length) {
            return this;
        }
        return left.isEmpty() ? null : new Sentence(left);
    }
}
