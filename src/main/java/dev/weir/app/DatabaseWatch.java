package dev.weir.app;

import dev.weir.store.WriteQueue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How it stands with the database, told by those who use it in the background: what each of them has met with last. So whoever
 * asks never waits for the database. Safe for use by many threads.
 */
final class DatabaseWatch {

    private final Opening opening;
    private final Housekeeper chores;
    private final WriteQueue bans;
    private final ThrottleKeeper throttles;
    private final Changes changes;

    /** @param chores those that use the database, and no others */
    DatabaseWatch(Opening opening, Housekeeper chores, WriteQueue bans, ThrottleKeeper throttles, Changes changes) {
        this.opening = opening;
        this.chores = chores;
        this.bans = bans;
        this.throttles = throttles;
        this.changes = changes;
    }

    /** Why the database has never been there since the start, as one sentence; null if it has. */
    @Nullable
    String missing() {
        return opening.missing();
    }

    /** What goes wrong with the database now, as one line for people; null if it does all that is asked of it. */
    @Nullable
    String trouble() {
        String missing = opening.missing();
        if (missing != null) {
            return missing;
        }
        Map<String, List<String>> reasons = new LinkedHashMap<>();
        chores.chores().forEach(chore -> add(reasons, chore.trouble(), chore.name()));
        add(reasons, bans.trouble(), bans.length() + " writes of bans wait");
        add(reasons, throttles.trouble(), throttles.waiting() + " rows of throttles wait");
        List<String> lines = new ArrayList<>();
        reasons.forEach((reason, who) -> lines.add(String.join(", ", who) + ": " + reason));
        return lines.isEmpty() ? null : String.join("; ", lines);
    }

    /** Whether the database does all that is asked of it. */
    boolean isUp() {
        return trouble() == null;
    }

    /** Whether the database tells of changes. */
    Changes.State listener() {
        return changes.state();
    }

    /** The bans, and the rows of throttles, that wait to be written. */
    int waiting() {
        return bans.length() + throttles.waiting();
    }

    /** Whether throttled calls have lately been dropped from the history. */
    boolean isDropping() {
        return throttles.isDropping();
    }

    /** The throttled calls that the history lacks. */
    long dropped() {
        return throttles.dropped();
    }

    private static void add(Map<String, List<String>> reasons, @Nullable String reason, String who) {
        if (reason != null) {
            reasons.computeIfAbsent(reason, first -> new ArrayList<>()).add(who);
        }
    }
}
