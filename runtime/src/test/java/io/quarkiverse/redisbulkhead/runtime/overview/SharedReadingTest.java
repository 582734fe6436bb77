package io.quarkiverse.redisbulkhead.runtime.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

/** However many ask, and in whatever order, one reading is under way at a time, and none while the last is fresh. */
class SharedReadingTest {

    final List<CompletableFuture<String>> readings = new ArrayList<>();
    long now;
    final SharedReading<String> shared = new SharedReading<>(this::read, Duration.ofNanos(10), () -> now);

    private CompletionStage<String> read() {
        CompletableFuture<String> reading = new CompletableFuture<>();
        readings.add(reading);
        return reading;
    }

    @Test
    void allWhoAskMeanwhileShareOne() {
        CompletionStage<String> first = shared.get();
        now = 1_000;
        CompletionStage<String> second = shared.get();
        assertThat(readings).hasSize(1);

        readings.get(0).complete("all");

        assertThat(List.of(first, second))
                .allSatisfy(answer -> assertThat(answer.toCompletableFuture()).isCompletedWithValue("all"));
    }

    @Test
    void itIsFreshForAWhileAfterItsEnd() {
        shared.get();
        now = 100;
        readings.get(0).complete("old");
        now = 109;
        assertThat(shared.get().toCompletableFuture()).isCompletedWithValue("old");
        assertThat(readings).hasSize(1);

        now = 110;
        assertThat(shared.get().toCompletableFuture()).isNotDone();
        assertThat(readings).hasSize(2);
    }

    @Test
    void itIsReadAgainForThoseWhoAskAtASteadyPace() {
        shared.get();
        readings.get(0).complete("old");

        CompletionStage<String> again = shared.again();
        assertThat(readings).hasSize(2);
        assertThat(shared.again()).as("one at a time").isSameAs(again);
        readings.get(1).complete("new");

        assertThat(again.toCompletableFuture()).isCompletedWithValue("new");
        assertThat(shared.get().toCompletableFuture()).isCompletedWithValue("new");
        assertThat(readings).hasSize(2);
    }

    @Test
    void aFailureIsSharedToo() {
        CompletionStage<String> first = shared.get();
        readings.get(0).completeExceptionally(new IllegalStateException("away"));

        assertThat(first.toCompletableFuture()).isCompletedExceptionally();
        assertThat(shared.get().toCompletableFuture()).isCompletedExceptionally();
        assertThat(readings).hasSize(1);
    }

    @Test
    void whatIsThrownEndsTheReading() {
        SharedReading<String> throwing = new SharedReading<>(() -> {
            now++;
            throw new IllegalStateException("inactive");
        }, Duration.ZERO, () -> now);

        assertThat(throwing.get().toCompletableFuture()).isCompletedExceptionally();
        assertThat(throwing.get().toCompletableFuture()).isCompletedExceptionally();
        assertThat(now).isEqualTo(2);
    }

    @Test
    void afterAChangeItIsReadAgain() {
        shared.get();
        readings.get(0).complete("before");

        shared.forget();

        CompletionStage<String> after = shared.get();
        assertThat(readings).hasSize(2);
        readings.get(1).complete("after");
        assertThat(after.toCompletableFuture()).isCompletedWithValue("after");
        shared.get();
        assertThat(readings).hasSize(2);
    }

    @Test
    void afterAChangeTheOneUnderWayDoesNotCount() {
        CompletionStage<String> before = shared.get();
        shared.forget();
        List<CompletionStage<String>> after = List.of(shared.get(), shared.again());
        assertThat(readings).as("one at a time").hasSize(1);

        readings.get(0).complete("before");
        assertThat(before.toCompletableFuture()).isCompletedWithValue("before");
        assertThat(readings).hasSize(2);

        readings.get(1).complete("after");
        assertThat(after).allSatisfy(answer -> assertThat(answer.toCompletableFuture()).isCompletedWithValue("after"));
        assertThat(readings).hasSize(2);
    }
}
