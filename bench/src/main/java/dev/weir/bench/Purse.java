package dev.weir.bench;

/** How well a limit is filled for a benchmark. */
public enum Purse {
    /** Gives whatever is asked of it, for as long as a benchmark runs. */
    NEVER_DRY,
    /** Gives once, and then nothing for days. */
    DRY
}
