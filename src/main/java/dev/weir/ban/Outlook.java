package dev.weir.ban;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How near a principal is to a ban, with nothing counted.
 *
 * @param strikes   the strikes against it that are inside the window now
 * @param next      the strikes that there would be if its next call ran into a limit
 * @param bannedFor how long it would be banned then; null if it would not be
 */
public record Outlook(int strikes, int next, @Nullable Duration bannedFor) {}
