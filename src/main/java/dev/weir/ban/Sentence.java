package dev.weir.ban;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
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

    /** The sentence that these bans make; null if there are none. */
    static @Nullable Sentence of(List<Standing> standings) {
        return standings.isEmpty() ? null : new Sentence(standings);
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

    /** What is left without some; null if nothing is. */
    @Nullable
    Sentence without(Predicate<Standing> some) {
        List<Standing> left = Arrays.stream(standings).filter(some.negate()).toList();
        return left.size() == standings.length ? this : of(left);
    }
}
