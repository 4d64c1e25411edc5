package dev.weir.app;

import dev.weir.ban.Ban;
import dev.weir.ban.BanWatch;

/** Two that are told of bans, one after the other. */
record BanWatches(BanWatch first, BanWatch second) implements BanWatch {

    @Override
    public void banned(Ban ban, boolean ours) {
        first.banned(ban, ours);
        second.banned(ban, ours);
    }

    @Override
    public void unbanned(Ban ban, boolean lifted) {
        first.unbanned(ban, lifted);
        second.unbanned(ban, lifted);
    }
}
