package dev.weir.app;

import dev.weir.ban.Ban;
import dev.weir.ban.BanHistory;
import dev.weir.ban.Precedent;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The history of bans, with a line in the log for each ban that begins or ends: {@code banned} and {@code unbanned}. Also tells
 * of those that operators or other nodes made or lifted, once they are read. Safe for use by many threads.
 */
final class BanJournal implements BanHistory {

    private static final Logger LOG = LoggerFactory.getLogger(BanJournal.class);

    private static final int MAX_TEXT = 256;
    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private record Known(Ban ban, CompletionStage<Void> recorded) {}

    private final BanHistory history;
    private final InstantSource clock;
    private final ConcurrentMap<String, Known> known = new ConcurrentHashMap<>();
    private final LongAdder made = new LongAdder();
    private volatile boolean begun;

    /** @param clock the wall clock, on which bans end */
    BanJournal(BanHistory history, InstantSource clock) {
        this.history = history;
        this.clock = clock;
    }

    @Override
    public CompletionStage<Void> record(Ban ban) {
        CompletionStage<Void> recorded = history.record(ban);
        known.put(ban.id(), new Known(ban, recorded));
        made.increment();
        banned(ban);
        return recorded;
    }

    @Override
    public CompletionStage<Boolean> lift(String id, String by, String reason, Instant at) {
        return history.lift(id, by, reason, at);
    }

    @Override
    public List<Precedent> precedents(Instant endAfter) {
        return history.precedents(endAfter);
    }

    /** {@inheritDoc} The bans of the first reading are those of an earlier life, and told of by their number only. */
    @Override
    public List<Ban> activeAt(Instant now) {
        // Only what was committed before the reading can be missed in it.
        Set<String> settled = known.entrySet().stream()
                .filter(entry ->
                        entry.getValue().recorded().toCompletableFuture().isDone())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        List<Ban> active = history.activeAt(now);
        Map<String, Ban> read = new HashMap<>();
        active.forEach(ban -> read.put(ban.id(), ban));
        for (String id : settled) {
            Known gone = read.containsKey(id) ? null : known.remove(id);
            if (gone != null) {
                unbanned(gone.ban(), now);
            }
        }
        read.forEach((id, ban) -> {
            boolean isNew = known.putIfAbsent(id, new Known(ban, DONE)) == null;
            if (isNew && begun) {
                banned(ban);
            }
        });
        if (!begun) {
            LOG.atInfo().addKeyValue("bans", active.size()).log("bans_loaded");
            begun = true;
        }
        return active;
    }

    /** The bans that this node has made since its start. */
    long made() {
        return made.sum();
    }

    /** The bans that hold now, as far as they have been read. */
    long active() {
        Instant now = clock.instant();
        return known.values().stream()
                .filter(one -> now.isBefore(one.ban().expiresAt()))
                .count();
    }

    private static void banned(Ban ban) {
        LoggingEventBuilder line = LOG.atWarn()
                .addKeyValue("ban_id", ban.id())
                .addKeyValue("principal", ban.principal())
                .addKeyValue("scope", ban.scope().word())
                .addKeyValue("reason", cut(ban.reason()))
                .addKeyValue("strikes", ban.strikes());
        if (ban.route() != null) {
            line = line.addKeyValue("route", ban.route());
        }
        if (ban.tool() != null) {
            line = line.addKeyValue("tool", cut(ban.tool()));
        }
        line.addKeyValue("expires_at", ban.expiresAt()).log("banned");
    }

    private static void unbanned(Ban ban, Instant now) {
        LOG.atInfo()
                .addKeyValue("ban_id", ban.id())
                .addKeyValue("principal", ban.principal())
                .addKeyValue("how", now.isBefore(ban.expiresAt()) ? "lifted" : "ended")
                .log("unbanned");
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }
}
