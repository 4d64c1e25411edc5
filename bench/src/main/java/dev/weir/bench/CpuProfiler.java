package dev.weir.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Measures the processor time an operation, in nanoseconds: that of the whole process, so that what a limiter leaves to the
 * collector or to threads of its own is counted too. It says the same however many others the machine works for.
 */
public final class CpuProfiler implements InternalProfiler {

    /** The name of the result. */
    static final String CPU = "cpu.norm";

    private final OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private long before;

    @Override
    public String getDescription() {
        return "Processor time an operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = process.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long spent = process.getProcessCpuTime() - before;
        double each = (double) spent / result.getMetadata().getAllOps();
        return List.of(new ScalarResult(CPU, each, "ns/op", AggregationPolicy.AVG));
    }
}
