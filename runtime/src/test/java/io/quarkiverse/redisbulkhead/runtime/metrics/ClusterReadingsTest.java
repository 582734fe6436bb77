package io.quarkiverse.redisbulkhead.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.runtime.metrics.ClusterReadings.Reading;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Timers;

class ClusterReadingsTest {

    final List<CompletableFuture<SemaphoreStatus>> asked = new ArrayList<>();
    final List<Runnable> planned = new ArrayList<>();
    final List<Duration> delays = new ArrayList<>();
    final Reading reading = new Reading("reports", () -> {
        CompletableFuture<SemaphoreStatus> answer = new CompletableFuture<>();
        asked.add(answer);
        return answer;
    });
    final Timers timers = new Timers() {

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Planned after(Duration delay, Runnable task) {
            delays.add(delay);
            planned.add(task);
            return () -> planned.remove(task);
        }
    };
    final ClusterReadings readings = new ClusterReadings(List.of(reading), timers, Duration.ofSeconds(10));

    @Test
    void nothingIsKnownBeforeTheFirstAnswer() {
        assertThat(inUse()).isNaN();
        readings.begin();
        assertThat(inUse()).isNaN();
        asked.get(0).complete(status(3));

        assertThat(inUse()).isEqualTo(3);
        assertThat(reading.value(SemaphoreStatus::limit)).isEqualTo(5);
    }

    @Test
    void aQuestionThatThrowsIsAskedAgain() {
        List<String> thrown = new ArrayList<>();
        Reading throwing = new Reading("reports", () -> {
            thrown.add("asked");
            throw new IllegalStateException("inactive");
        });
        ClusterReadings those = new ClusterReadings(List.of(throwing), timers, Duration.ofSeconds(10));

        those.begin();
        nextRound();

        assertThat(thrown).hasSize(2);
        assertThat(throwing.value(SemaphoreStatus::inUse)).isNaN();
    }

    @Test
    void looksAgainAfterEachInterval() {
        readings.begin();
        asked.get(0).complete(status(3));
        nextRound();
        assertThat(inUse()).as("the latest answer, while the next is on its way").isEqualTo(3);
        asked.get(1).complete(status(4));

        assertThat(inUse()).isEqualTo(4);
        assertThat(delays).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(10));
    }

    @Test
    void knowsNothingWhileTheStoreIsAway() {
        readings.begin();
        asked.get(0).complete(status(3));
        nextRound();
        asked.get(1).completeExceptionally(new IllegalStateException("away"));
        assertThat(inUse()).isNaN();
        nextRound();
        asked.get(2).complete(status(1));

        assertThat(inUse()).isEqualTo(1);
    }

    @Test
    void asksOnceAtATime() {
        readings.begin();
        nextRound();
        nextRound();
        assertThat(asked).hasSize(1);
        asked.get(0).complete(status(3));
        nextRound();

        assertThat(asked).hasSize(2);
    }

    @Test
    void stops() {
        readings.begin();
        Runnable late = planned.get(0);
        readings.stop();
        assertThat(planned).isEmpty();
        late.run();

        assertThat(planned).isEmpty();
        assertThat(asked).hasSize(1);
    }

    private void nextRound() {
        planned.remove(0).run();
    }

    private double inUse() {
        return reading.value(SemaphoreStatus::inUse);
    }

    private static SemaphoreStatus status(int inUse) {
        return new SemaphoreStatus("reports", Optional.empty(), 5, inUse, 0, false, new TreeSet<>());
    }
}
