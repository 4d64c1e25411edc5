package dev.weir.upstream;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The targets of a route beside its first, and how all of them are asked whether they are well. Immutable.
 *
 * @param others the other addresses; each does what the first one does
 * @param check  how they are asked; null if nobody asks
 */
public record Fleet(List<URI> others, @Nullable Check check) {

    /** One target, which nobody asks. */
    public static final Fleet NONE = new Fleet(List.of(), null);

    public Fleet {
        others = List.copyOf(others);
    }

    /**
     * A question that is asked again and again.
     *
     * @param mcp   whether it is one that an MCP server understands; else any GET
     * @param path  what is asked for in place of a target's own path; empty for that
     * @param every the pause between two questions
     */
    public record Check(boolean mcp, String path, Duration every) {}
}
