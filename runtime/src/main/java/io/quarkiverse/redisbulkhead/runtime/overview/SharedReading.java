package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import io.smallrye.mutiny.Uni;

/**
 * A costly reading that callers share: those that ask while it is under way, and those that ask while it is fresh. A failure is
 * as fresh as an item. Thread-safe.
 *
 * @param <T> what is read
 */
public final class SharedReading<T> {

    private final Uni<T> source;
    private final long freshNanos;
    private final LongSupplier nanoTime;
    // When the last reading ended. Null while it is under way, and before it begins.
    private volatile AtomicReference<Long> endedAt;
    private volatile Uni<T> current;

    /**
     * Reads nothing yet.
     *
     * @param source reads at each subscription
     * @param fresh for how long a result is reused after the reading has ended
     * @param nanoTime a clock for intervals
     */
    public SharedReading(Uni<T> source, Duration fresh, LongSupplier nanoTime) {
        this.source = source;
        this.freshNanos = fresh.toNanos();
        this.nanoTime = nanoTime;
        forget();
    }

    /**
     * The last reading while it is under way or fresh, otherwise a new one.
     *
     * @return reads at the subscription, if at all
     */
    public Uni<T> get() {
        return Uni.createFrom().deferred(() -> current);
    }

    /**
     * The last reading while it is under way, otherwise a new one even if the last is fresh: for callers at a steady pace,
     * which must not miss a turn because the last reading took a while.
     *
     * @return reads at the subscription
     */
    public Uni<T> again() {
        return Uni.createFrom().deferred(() -> {
            if (endedAt.get() != null) {
                forget();
            }
            return current;
        });
    }

    /** Something has changed: later subscriptions share a reading that begins after this call. */
    public void forget() {
        AtomicReference<Long> end = new AtomicReference<>();
        // A reading under way is not invalidated: Mutiny would cancel it for a new one, and it might never end.
        current = source.onItemOrFailure().invoke((item, failure) -> end.set(nanoTime.getAsLong())).memoize().until(() -> {
            Long ended = end.get();
            return ended != null && nanoTime.getAsLong() - ended >= freshNanos && end.compareAndSet(ended, null);
        });
        endedAt = end;
    }
}
