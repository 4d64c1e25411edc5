package dev.weir.bench;

import com.github.benmanes.caffeine.cache.Cache;
import dev.weir.auth.Caller;
import io.github.bucket4j.Bucket;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures what a live bucket weighs with its share of whatever it is found by: the heap in use after a full collection, with
 * the buckets and without. Each measurement has a process of its own.
 */
final class HeapPerBucket {

    private static final long MEGABYTE = 1 << 20;

    /** Whose buckets. */
    enum Owner {
        WEIR("Weir", 1),
        BUCKET4J_IN_MAP("Bucket4j in a ConcurrentHashMap", 0),
        BUCKET4J_IN_CAFFEINE("Bucket4j in Caffeine", 0);

        private final String words;
        private final int bucketsBesideTools;

        Owner(String words, int bucketsBesideTools) {
            this.words = words;
            this.bucketsBesideTools = bucketsBesideTools;
        }

        String words() {
            return words;
        }
    }

    private HeapPerBucket() {}

    /** Prints the bytes a bucket: {@code Owner principals tools}. */
    public static void main(String[] args) {
        Owner owner = Owner.valueOf(args[0]);
        int principals = Integer.parseInt(args[1]);
        int tools = Integer.parseInt(args[2]);
        House house = new House(tools, Purse.NEVER_DRY, List.of());
        ConcurrentHashMap<Rivals.Key, Bucket> map = new ConcurrentHashMap<>();
        Cache<Rivals.Key, Bucket> cache = Rivals.Bucket4jCache.cache();
        // Once for the first time, so that classes and code are not weighed.
        open(owner, -1, tools, house, map, cache);
        long before = usedHeap();
        for (int number = 0; number < principals; number++) {
            open(owner, number, tools, house, map, cache);
        }
        house.save();
        long after = usedHeap();
        long kept = house.principals() + map.size() + cache.estimatedSize();
        if (kept < principals) {
            throw new IllegalStateException("only " + kept + " were kept");
        }
        long buckets = (long) principals * (tools + owner.bucketsBesideTools);
        System.out.println((double) (after - before) / buckets);
    }

    /** Measures in a process of its own. */
    static double measure(Owner owner, int principals, int tools) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:+UseSerialGC",
                        // Or else this collector leaves some of what is dead where it lies, and it would be counted.
                        "-XX:MarkSweepDeadRatio=0",
                        "-Xmx" + Math.max(64, principals * (tools + 1L) * 500 / MEGABYTE) + "m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HeapPerBucket.class.getName(),
                        owner.name(),
                        Integer.toString(principals),
                        Integer.toString(tools))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("no measurement of " + owner);
        }
        return Double.parseDouble(said.strip());
    }

    private static void open(
            Owner owner,
            int number,
            int tools,
            House house,
            ConcurrentHashMap<Rivals.Key, Bucket> map,
            Cache<Rivals.Key, Bucket> cache) {
        Caller caller = House.caller(number);
        for (int tool = 0; tool < tools; tool++) {
            Rivals.Key key = new Rivals.Key(House.key(caller), House.tool(tool));
            switch (owner) {
                case WEIR -> house.decide(caller, tool);
                case BUCKET4J_IN_MAP -> map.put(key, Peers.bucket4j(Purse.NEVER_DRY));
                case BUCKET4J_IN_CAFFEINE -> cache.put(key, Peers.bucket4j(Purse.NEVER_DRY));
            }
        }
    }

    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            used = Math.min(
                    used,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return used;
    }
}
