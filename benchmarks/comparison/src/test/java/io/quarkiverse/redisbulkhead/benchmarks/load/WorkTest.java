package io.quarkiverse.redisbulkhead.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** The work of several processes counts together. */
class WorkTest {

    private static Work work(long nanos, long... latencies) {
        Histogram histogram = Work.newHistogram();
        for (long latency : latencies) {
            Work.record(histogram, latency);
        }
        return Work.of(nanos, List.of(histogram));
    }

    @Test
    void textTellsAll() {
        Work work = work(1_234, 1_000, 2_000, 90_000_000_000L);
        assertThat(Work.parse(work.text())).isEqualTo(work);
    }

    @Test
    void crewsTogetherTakeAsLongAsTheLastOne() {
        Work together = Work.together(List.of(work(500, 10), work(700, 20, 30)));
        assertThat(together.nanos()).isEqualTo(700);
        assertThat(together.pairs()).isEqualTo(3);
        assertThat(together.latencies().getMaxValue()).isEqualTo(30);
    }
}
