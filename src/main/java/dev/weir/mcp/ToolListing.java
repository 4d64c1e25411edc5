package dev.weir.mcp;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Cuts out of the answers to {@code tools/list} the tools that a client must not see. Every byte that stays is as the upstream wrote it.
 * An answer is known by its shape, a result with {@code tools}, because on some streams nothing else tells what it answers. Immutable.
 *
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools">MCP 2025-11-25, Listing
 *     Tools</a>
 */
public final class ToolListing {

    private static final JsonFactory JSON = new JsonFactory();

    private final Predicate<String> visible;

    /** @param visible whether a tool of an exact name may be seen; safe for use by many threads */
    public ToolListing(Predicate<String> visible) {
        this.visible = visible;
    }

    /**
     * A message, or an array of messages, as it may be seen. A tool without a name is hidden, and so is one of several names of which one
     * is. A list that says that anybody may be shown it says afterwards that only its reader may.
     *
     * @param json not changed
     * @return the same array if there is nothing to change; null if this is no JSON, so that nobody can say what it shows
     */
    public byte @Nullable [] shown(byte[] json) {
        if (!isUtf8(json)) {
            return null;
        }
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            List<ListingParser.Cut> cuts = new ListingParser(parser, visible).read();
            return cuts == null ? null : ListingParser.Cut.all(cuts, json);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** Whether the parser will take it for UTF-8, in whose bytes it counts: others have a zero among the first four, or a mark. */
    private static boolean isUtf8(byte[] json) {
        for (int i = 0; i < Math.min(4, json.length); i++) {
            if (json[i] == 0) {
                return false;
            }
        }
        return json.length > 0 && (json[0] & 0xFF) < 0xEF;
    }
}
