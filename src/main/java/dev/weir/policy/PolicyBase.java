package dev.weir.policy;

import dev.weir.limit.Limit;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * What is decided outside the tables, by static settings; a row of {@code setting} wins over each.
 *
 * @param limitsEnabled whether anything is limited or banned at all
 * @param channel       the limit of all that one principal sends on one route
 * @param global        the limit of all that is sent
 * @param upstream      the MCP server behind {@code /mcp} where the route table is empty; null for none
 * @param named         what rows may use by name
 */
public record PolicyBase(
        boolean limitsEnabled,
        Limit channel,
        Limit global,
        @Nullable URI upstream,
        NamedSettings named) {

    /** One without anything that rows could name. */
    public PolicyBase(boolean limitsEnabled, Limit channel, Limit global, @Nullable URI upstream) {
        this(limitsEnabled, channel, global, upstream, NamedSettings.NONE);
    }
}
