package io.quarkiverse.redisbulkhead.runtime.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.smallrye.mutiny.Uni;

/** Callers share a reading that is in flight or fresh. */
class SharedReadingTest {

    final List<CompletableFuture<String>> readings = new ArrayList<>();
    long now;
    final SharedReading<String> shared = new SharedReading<>(Uni.createFrom().completionStage(() -> {
        readings.add(new CompletableFuture<>());
        return readings.get(readings.size() - 1);
    }), Duration.ofNanos(10), () -> now);

    private CompletableFuture<String> get() {
        return shared.get().subscribeAsCompletionStage();
    }

    @Test
    void nothingIsReadWithoutASubscription() {
        shared.get();

        assertThat(readings).isEmpty();
    }

    /** Even a slow one; otherwise frequent calls would pile up readings. */
    @Test
    void callersShareAReadingInFlight() {
        CompletableFuture<String> first = get();
        now = 1_000;
        CompletableFuture<String> second = get();
        assertThat(readings).hasSize(1);

        readings.get(0).complete("all");

        assertThat(List.of(first, second)).allSatisfy(reply -> assertThat(reply).isCompletedWithValue("all"));
    }

    @Test
    void cancelledCallerDoesNotCancelTheReading() {
        get().cancel(true);
        CompletableFuture<String> second = get();
        readings.get(0).complete("all");

        assertThat(second).isCompletedWithValue("all");
        assertThat(readings).hasSize(1);
    }

    @Test
    void readingStaysFreshAfterItsEnd() {
        get();
        now = 100;
        readings.get(0).complete("old");
        now = 109;
        assertThat(get()).isCompletedWithValue("old");
        assertThat(readings).hasSize(1);

        now = 110;
        CompletableFuture<String> next = get();
        now = 1_000;
        assertThat(get()).isNotDone();
        assertThat(readings).hasSize(2);
        readings.get(1).complete("new");
        assertThat(next).isCompletedWithValue("new");
        assertThat(get()).isCompletedWithValue("new");
        assertThat(readings).hasSize(2);
    }

    @Test
    void againIgnoresFreshReadings() {
        get();
        readings.get(0).complete("old");

        CompletableFuture<String> again = shared.again().subscribeAsCompletionStage();
        assertThat(readings).hasSize(2);
        CompletableFuture<String> other = shared.again().subscribeAsCompletionStage();
        assertThat(readings).as("one at a time").hasSize(2);
        readings.get(1).complete("new");

        assertThat(List.of(again, other, get())).allSatisfy(reply -> assertThat(reply).isCompletedWithValue("new"));
        assertThat(readings).hasSize(2);
    }

    @Test
    void failureIsShared() {
        CompletableFuture<String> first = get();
        readings.get(0).completeExceptionally(new IllegalStateException("away"));

        assertThat(first).isCompletedExceptionally();
        assertThat(get()).isCompletedExceptionally();
        assertThat(readings).hasSize(1);
    }

    @Test
    void anExceptionEndsTheReading() {
        SharedReading<String> throwing = new SharedReading<>(Uni.createFrom().completionStage(() -> {
            now++;
            throw new IllegalStateException("inactive");
        }), Duration.ZERO, () -> now);

        assertThat(throwing.get().subscribeAsCompletionStage()).isCompletedExceptionally();
        assertThat(throwing.get().subscribeAsCompletionStage()).isCompletedExceptionally();
        assertThat(now).isEqualTo(2);
    }

    @Test
    void readsAgainAfterAChange() {
        get();
        readings.get(0).complete("before");

        shared.forget();

        CompletableFuture<String> after = get();
        assertThat(readings).hasSize(2);
        readings.get(1).complete("after");
        assertThat(after).isCompletedWithValue("after");
        get();
        assertThat(readings).hasSize(2);
    }

    @Test
    void readingStartedBeforeAChangeIsNotSharedAfterIt() {
        CompletableFuture<String> before = get();
        shared.forget();
        List<CompletableFuture<String>> after = List.of(get(), get());

        readings.get(1).complete("after");
        readings.get(0).complete("before");

        assertThat(before).isCompletedWithValue("before");
        assertThat(after).allSatisfy(reply -> assertThat(reply).isCompletedWithValue("after"));
        assertThat(get()).isCompletedWithValue("after");
        assertThat(readings).hasSize(2);
    }
}
