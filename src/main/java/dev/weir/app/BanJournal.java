package dev.weir.app;

import dev.weir.ban.Ban;
import dev.weir.ban.BanWatch;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A line in the log for each ban that begins or ends: {@code banned} and {@code unbanned}. Safe for use by many threads.
 */
final class BanJournal implements BanWatch {

    private static final Logger LOG = LoggerFactory.getLogger(BanJournal.class);

    private static final int MAX_TEXT = 256;

    private final LongAdder made = new LongAdder();

    @Override
    public void banned(Ban ban, boolean ours) {
        if (ours) {
            made.increment();
        }
        banned(ban);
    }

    @Override
    public void unbanned(Ban ban, boolean lifted) {
        LOG.atInfo()
                .addKeyValue("ban_id", ban.id())
                .addKeyValue("principal", ban.principal())
                .addKeyValue("how", lifted ? "lifted" : "ended")
                .log("unbanned");
    }

    /** The bans that this node has made since its start. */
    long made() {
        return made.sum();
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

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }
}
