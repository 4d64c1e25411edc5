package dev.weir.bench;

import com.google.common.util.concurrent.RateLimiter;
import dev.weir.auth.Caller;
import dev.weir.limit.BareBucket;
import dev.weir.limit.Outcome;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One take from one bucket, which all threads share. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OneTake {

    @Param
    public Purse purse = Purse.NEVER_DRY;

    private final Caller caller = House.caller(1);
    private House house = new House(1, purse, List.of());
    private BareBucket bare = House.bareBucket(purse);
    private Bucket lockFree = Peers.bucket4j(purse);
    private Bucket nanos = Peers.bucket4jNanos(purse);
    private Bucket locked = Peers.bucket4jSynchronized(purse);
    private AtomicRateLimiter resilience = Peers.resilience4j(purse);
    private RateLimiter guava = Peers.guava(purse);

    /** Makes them all with the purse that is asked for, and takes the one token that a dry one has. */
    @Setup
    public void open() {
        house = new House(1, purse, List.of());
        bare = House.bareBucket(purse);
        lockFree = Peers.bucket4j(purse);
        nanos = Peers.bucket4jNanos(purse);
        locked = Peers.bucket4jSynchronized(purse);
        resilience = Peers.resilience4j(purse);
        guava = Peers.guava(purse);
        check(true);
        check(purse == Purse.NEVER_DRY);
    }

    /** Makes sure that what was measured gave, or refused, to the end. */
    @TearDown
    public void close() {
        check(purse == Purse.NEVER_DRY);
    }

    private void check(boolean taken) {
        boolean[] answers = {
            House.isTaken(weir()),
            weirBare(),
            bucket4j(),
            bucket4jNanos(),
            bucket4jSynchronized(),
            resilience4j(),
            guava()
        };
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] != taken) {
                throw new IllegalStateException("bucket " + i + " answered " + answers[i] + " where " + purse);
            }
        }
    }

    @Benchmark
    public long clock() {
        return System.nanoTime();
    }

    @Benchmark
    public Outcome weir() {
        return house.take(caller, 0);
    }

    @Benchmark
    public boolean weirBare() {
        return bare.take();
    }

    @Benchmark
    public boolean bucket4j() {
        return lockFree.tryConsume(1);
    }

    /** Tells what is left, or how long to wait, as Weir's take does. */
    @Benchmark
    public ConsumptionProbe bucket4jProbe() {
        return lockFree.tryConsumeAndReturnRemaining(1);
    }

    @Benchmark
    public boolean bucket4jNanos() {
        return nanos.tryConsume(1);
    }

    @Benchmark
    public boolean bucket4jSynchronized() {
        return locked.tryConsume(1);
    }

    @Benchmark
    public boolean resilience4j() {
        return resilience.acquirePermission(1);
    }

    @Benchmark
    public boolean guava() {
        return guava.tryAcquire();
    }
}
