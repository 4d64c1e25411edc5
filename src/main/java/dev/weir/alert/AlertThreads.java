package dev.weir.alert;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads that alerts are delivered on.
 *
 * @param timer one thread is enough, because nothing waits on it
 * @param web   more than there are targets, because the search for the address of a target's host holds one up
 */
public record AlertThreads(ScheduledExecutorService timer, Executor web) {}
