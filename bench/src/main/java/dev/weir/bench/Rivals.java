package dev.weir.bench;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What {@link Decision} is held against: one take of another limiter by key, and one look-up, for the same crowd. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Rivals {

    /** A principal on a tool. */
    record Key(String principal, String tool) {

        static Key of(Crowd crowd, int pair) {
            return new Key(House.key(crowd.caller(pair)), House.tool(crowd.tool(pair)));
        }
    }

    /** One object for each pair of a crowd, in a plain map. */
    abstract static class Table<V> {

        private final ConcurrentHashMap<Key, V> map = new ConcurrentHashMap<>();
        private final Function<Key, V> maker;

        Table(Function<Key, V> maker) {
            this.maker = maker;
        }

        @Setup
        public void fill(Crowd crowd) {
            for (int pair : Crowd.shuffled(crowd.pairs())) {
                var unused = at(crowd, pair);
            }
            Crowd.settle();
        }

        /** Looks first, because {@code computeIfAbsent} may lock for what is there already. */
        V at(Crowd crowd, int pair) {
            Key key = Key.of(crowd, pair);
            V found = map.get(key);
            return found != null ? found : map.computeIfAbsent(key, maker);
        }
    }

    @State(Scope.Benchmark)
    public static class Bucket4jTable extends Table<Bucket> {
        public Bucket4jTable() {
            super(key -> Peers.bucket4j(Purse.NEVER_DRY));
        }
    }

    @State(Scope.Benchmark)
    public static class Resilience4jTable extends Table<AtomicRateLimiter> {
        public Resilience4jTable() {
            super(key -> Peers.resilience4j(Purse.NEVER_DRY));
        }
    }

    @State(Scope.Benchmark)
    public static class GuavaTable extends Table<RateLimiter> {
        public GuavaTable() {
            super(key -> Peers.guava(Purse.NEVER_DRY));
        }
    }

    /** The same behind a cache that is bounded and forgets, as it has to where strangers call. */
    @State(Scope.Benchmark)
    public static class Bucket4jCache {

        private final Cache<Key, Bucket> cache = cache();

        static Cache<Key, Bucket> cache() {
            return Caffeine.newBuilder()
                    .maximumSize(20_000_000)
                    .expireAfterAccess(Duration.ofMinutes(10))
                    .build();
        }

        @Setup
        public void fill(Crowd crowd) {
            for (int pair : Crowd.shuffled(crowd.pairs())) {
                var unused = at(crowd, pair);
            }
            Crowd.settle();
        }

        Bucket at(Crowd crowd, int pair) {
            return cache.get(Key.of(crowd, pair), key -> Peers.bucket4j(Purse.NEVER_DRY));
        }
    }

    /** A map with nothing but the principals in it. */
    @State(Scope.Benchmark)
    public static class Names {

        private final ConcurrentHashMap<String, Object> map = new ConcurrentHashMap<>();

        @Setup
        public void fill(Crowd crowd) {
            for (int number : Crowd.shuffled(crowd.principals)) {
                map.put(House.key(House.caller(number)), new Object());
            }
            Crowd.settle();
        }

        @Nullable
        Object at(Crowd crowd, int pair) {
            return map.get(House.key(crowd.caller(pair)));
        }
    }

    @Benchmark
    public boolean bucket4jInMap(Crowd crowd, Crowd.Walk walk, Bucket4jTable table) {
        return table.at(crowd, walk.next(crowd)).tryConsume(1);
    }

    @Benchmark
    public boolean bucket4jInCaffeine(Crowd crowd, Crowd.Walk walk, Bucket4jCache cache) {
        return cache.at(crowd, walk.next(crowd)).tryConsume(1);
    }

    @Benchmark
    public boolean resilience4jInMap(Crowd crowd, Crowd.Walk walk, Resilience4jTable table) {
        return table.at(crowd, walk.next(crowd)).acquirePermission(1);
    }

    @Benchmark
    public boolean guavaInMap(Crowd crowd, Crowd.Walk walk, GuavaTable table) {
        return table.at(crowd, walk.next(crowd)).tryAcquire();
    }

    /** One look-up of a principal: no decision can cost less. */
    @Benchmark
    public @Nullable Object lookUp(Crowd crowd, Crowd.Walk walk, Names names) {
        return names.at(crowd, walk.next(crowd));
    }
}
