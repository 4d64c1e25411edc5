package dev.weir.app;

import dev.weir.alert.AlertEvent;
import dev.weir.alert.Alerts;
import dev.weir.alert.BanNews;
import dev.weir.ban.Ban;
import dev.weir.ban.BanWatch;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;

/**
 * Makes alerts of the bans that were made here, and of no others, so that one ban makes one alert on whatever number of nodes. Safe for use
 * by many threads.
 */
final class BanAlerts implements BanWatch {

    /** The most bans that are remembered to have been made here; of older ones the end is not told. */
    private static final int MOST = 10_000;

    private final Alerts alerts;
    private final boolean tellsEnds;

    // Under this object's lock.
    private final Set<String> ours = new HashSet<>();
    private final Queue<String> oldest = new ArrayDeque<>();

    BanAlerts(Alerts alerts) {
        this.alerts = alerts;
        this.tellsEnds = alerts.isWanted(AlertEvent.UNBANNED);
    }

    @Override
    public void banned(Ban ban, boolean madeHere) {
        if (madeHere) {
            if (tellsEnds) {
                remember(ban.id());
            }
            alerts.raise(BanNews.banned(ban));
        }
    }

    @Override
    public void unbanned(Ban ban, boolean lifted) {
        if (tellsEnds && isOurs(ban.id())) {
            alerts.raise(BanNews.unbanned(ban, lifted));
        }
    }

    private synchronized void remember(String id) {
        ours.add(id);
        oldest.add(id);
        if (oldest.size() > MOST) {
            ours.remove(oldest.remove());
        }
    }

    private synchronized boolean isOurs(String id) {
        return ours.remove(id);
    }
}
