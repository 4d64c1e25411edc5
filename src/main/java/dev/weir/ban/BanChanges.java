package dev.weir.ban;

import java.util.List;

/**
 * What has changed in the bans that hold, since an earlier look at them. Immutable.
 *
 * @param holding bans that hold now, and did not or were written otherwise
 * @param gone    bans that hold no more, as they were written: lifted, deleted or ended
 */
public record BanChanges(List<Ban> holding, List<Ban> gone) {

    public BanChanges {
        holding = List.copyOf(holding);
        gone = List.copyOf(gone);
    }
}
