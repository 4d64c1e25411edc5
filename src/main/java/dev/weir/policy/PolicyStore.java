package dev.weir.policy;

/** Where the policy's rows are kept. Called from background threads only; waits for the store. */
public interface PolicyStore {

    /** All rows as of one instant, so that a transaction of several rows is seen whole or not at all. */
    PolicyRows load();
}
