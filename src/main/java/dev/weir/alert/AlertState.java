package dev.weir.alert;

import org.jspecify.annotations.Nullable;

/**
 * How it stands with one target, in alerts since the start.
 *
 * @param target   its name
 * @param waiting  those that wait now
 * @param failed   those that were given up
 * @param dropped  those for which there was no room, or no time before the end
 * @param heldBack those that were told by another one, as a number
 * @param trouble  why the last attempt has failed; null if it has not
 */
public record AlertState(
        String target,
        int waiting,
        long delivered,
        long failed,
        long dropped,
        long heldBack,
        @Nullable String trouble) {}
