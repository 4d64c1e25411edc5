package dev.weir.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every refusal is in one line or in one count, and a storm makes few of both. */
@Timeout(30)
class RefusalSamplerTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final RefusalSampler sampler = new RefusalSampler(nanos::get);

    private static Refused kind(String who) {
        return new Refused(who, 429, "throttle", null, "/mcp", "x", "tool");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private List<Long> due() {
        return sampler.due().stream().map(RefusalSampler.Repeated::count).toList();
    }

    @Test
    void theFirstHasALineThenTenSecondsAreCountedAndTheNextTenToo() {
        assertThat(sampler.hasLine(kind("a"))).isTrue();
        for (int i = 0; i < 1_400; i++) {
            assertThat(sampler.hasLine(kind("a"))).isFalse();
        }
        pass(Duration.ofMillis(9_900));
        assertThat(due()).isEmpty();
        pass(Duration.ofMillis(200));
        assertThat(sampler.due()).containsExactly(new RefusalSampler.Repeated(kind("a"), 1_400, 10.1));
        assertThat(sampler.hasLine(kind("a"))).as("the storm goes on").isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(due()).containsExactly(1L);
        pass(Duration.ofSeconds(10));
        assertThat(due()).as("it is over").isEmpty();
        assertThat(sampler.hasLine(kind("a"))).as("a first one again").isTrue();
    }

    @Test
    void eachKindHasALineOfItsOwn() {
        assertThat(sampler.hasLine(kind("a"))).isTrue();
        assertThat(sampler.hasLine(kind("b"))).isTrue();
        assertThat(sampler.hasLine(new Refused("a", 403, "shut", null, "/mcp", "x", null)))
                .isTrue();
        assertThat(sampler.hasLine(kind("a"))).isFalse();
    }

    @Test
    void aFloodOfKindsIsCountedTogether() {
        int lines = 0;
        for (int i = 0; i < 5_000; i++) {
            lines += sampler.hasLine(kind("address:" + i)) ? 1 : 0;
        }
        pass(Duration.ofSeconds(10));
        List<RefusalSampler.Repeated> due = sampler.due();
        assertThat(lines).isEqualTo(1_001);
        assertThat(due).singleElement().satisfies(others -> {
            assertThat(others.kind()).isEqualTo(Refused.OTHERS);
            assertThat(others.count()).isEqualTo(5_000 - 1_001);
        });
    }

    @Test
    void theEndTellsWhatIsCountedAndThenEveryRefusalHasALine() {
        sampler.hasLine(kind("a"));
        sampler.hasLine(kind("a"));
        assertThat(sampler.close()).extracting(RefusalSampler.Repeated::count).containsExactly(1L);
        assertThat(sampler.hasLine(kind("a"))).isTrue();
        assertThat(sampler.hasLine(kind("a"))).isTrue();
    }

    @Test
    void noRefusalIsLostOrCountedTwiceWhileCountsAreTaken() throws Exception {
        int threads = 4;
        int each = 100_000;
        AtomicLong lines = new AtomicLong();
        CountDownLatch done = new CountDownLatch(threads);
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    if (sampler.hasLine(kind("client:" + i % 3))) {
                        lines.incrementAndGet();
                    }
                }
                done.countDown();
            });
            all.add(thread);
            thread.start();
        }
        long counted = 0;
        while (done.getCount() > 0) {
            pass(Duration.ofSeconds(10));
            counted += sampler.due().stream()
                    .mapToLong(RefusalSampler.Repeated::count)
                    .sum();
        }
        for (Thread thread : all) {
            thread.join();
        }
        counted += sampler.close().stream()
                .mapToLong(RefusalSampler.Repeated::count)
                .sum();
        assertThat(lines.get() + counted).isEqualTo((long) threads * each);
    }
}
