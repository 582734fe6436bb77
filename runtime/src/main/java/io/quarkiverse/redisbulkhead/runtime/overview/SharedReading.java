package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Something that is expensive to read, read for all who ask at about the same time: one reading at a time, and none while the
 * last one is fresh. A reading that failed is as fresh as another. Safe for use by many threads.
 *
 * @param <T> what is read
 */
public final class SharedReading<T> {

    private final Supplier<CompletionStage<T>> source;
    private final long freshNanos;
    private final LongSupplier nanoTime;

    // All are guarded by this.
    private CompletableFuture<T> last;
    private boolean underWay;
    private boolean outdated;
    private long endedAt;

    /**
     * Reads nothing yet.
     *
     * @param source reads
     * @param fresh for how long an answer is given again
     * @param nanoTime a clock for intervals
     */
    public SharedReading(Supplier<CompletionStage<T>> source, Duration fresh, LongSupplier nanoTime) {
        this.source = source;
        this.freshNanos = fresh.toNanos();
        this.nanoTime = nanoTime;
    }

    /**
     * What was just read, or is being read.
     *
     * @return the answer; fails as the reading does
     */
    public CompletionStage<T> get() {
        return get(true);
    }

    /**
     * What is being read, or else a new reading even while the last is fresh: for one who asks at a steady pace, which must not
     * miss a turn because the last reading took a while.
     *
     * @return the answer; fails as the reading does
     */
    public CompletionStage<T> again() {
        return get(false);
    }

    private CompletionStage<T> get(boolean freshCounts) {
        CompletableFuture<T> begun;
        synchronized (this) {
            if (underWay) {
                return outdated ? last.handle((value, failure) -> null).thenCompose(ended -> get()) : last;
            }
            if (freshCounts && last != null && !outdated && nanoTime.getAsLong() - endedAt < freshNanos) {
                return last;
            }
            begun = new CompletableFuture<>();
            last = begun;
            underWay = true;
            outdated = false;
        }
        // Within a stage, so that what is thrown ends the reading too.
        CompletableFuture.completedFuture(null).thenCompose(start -> source.get()).whenComplete((value, failure) -> {
            ended();
            if (failure == null) {
                begun.complete(value);
            } else {
                begun.completeExceptionally(failure);
            }
        });
        return begun;
    }

    private synchronized void ended() {
        underWay = false;
        endedAt = nanoTime.getAsLong();
    }

    /** Something has changed: later callers get a reading that began after this. */
    public synchronized void forget() {
        outdated = true;
    }
}
