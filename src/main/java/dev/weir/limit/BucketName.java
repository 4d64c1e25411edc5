package dev.weir.limit;

/**
 * Which bucket, among those of one principal or among the shared ones. A structure and not a joined string, so that no two
 * buckets can ever be spelled alike. Immutable.
 */
public final class BucketName {

    /** The tool name of the one bucket that all unregistered tools share; no tool is called so, as names are not empty. */
    public static final String UNREGISTERED = "";

    private final Level level;
    private final String route;
    private final String tool;
    private final int hash;

    /**
     * @param level how wide the bucket is shared
     * @param route the route's prefix; empty at the global level
     * @param tool  the tool's name at the tool level, or {@link #UNREGISTERED}; the method's at the method level; else empty
     */
    public BucketName(Level level, String route, String tool) {
        this.level = level;
        this.route = route;
        this.tool = tool;
        int mixed = ((level.word().hashCode() * 31 + route.hashCode()) * 31 + tool.hashCode()) * 0x9E3779B1;
        // The upper bits are the better mixed ones, and small tables look at the lower ones.
        this.hash = mixed ^ (mixed >>> 16);
    }

    /** How wide the bucket is shared. */
    public Level level() {
        return level;
    }

    /** The route's prefix; empty at the global level. */
    public String route() {
        return route;
    }

    /** The tool's name at the tool level, or {@link #UNREGISTERED}; the method's at the method level; else empty. */
    public String tool() {
        return tool;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof BucketName that
                        && hash == that.hash
                        && level == that.level
                        && tool.equals(that.tool)
                        && route.equals(that.route));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return level.word() + "[" + route + "][" + tool + "]";
    }
}
