package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Acquired;
import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Caller;
import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Member;

/**
 * Threads that run the same loop for some time: each acquires a permit, is counted, holds it for a moment and releases it; it
 * pauses after a rejection.
 */
final class Crew implements AutoCloseable {

    private static final long HOLD_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** The poll interval of the book's lock. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<Caller> callers = new ArrayList<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final int limit;

    /**
     * The figures of a run.
     *
     * @param entries callers that entered with a permit
     * @param beyond entries above the limit
     * @param highest the highest concurrency
     * @param rejections rejected callers
     * @param rejectedUnseen rejections before any client read the permits
     */
    record Figures(long entries, long beyond, long highest, long rejections, long rejectedUnseen) {

        Figures plus(Figures other) {
            return new Figures(entries + other.entries, beyond + other.beyond, Math.max(highest, other.highest),
                    rejections + other.rejections, rejectedUnseen + other.rejectedUnseen);
        }
    }

    Crew(int limit) {
        this.limit = limit;
    }

    /** Adds a thread and connects it. */
    void add(Member member) {
        callers.add(member.newCaller());
    }

    /** Runs all threads for the duration and sums up their figures. */
    Figures run(Duration duration) {
        ExecutorService threads = Executors.newFixedThreadPool(callers.size());
        try {
            long end = System.nanoTime() + duration.toNanos();
            List<CompletableFuture<Figures>> runs = callers.stream()
                    .map(caller -> CompletableFuture.supplyAsync(() -> runUntil(end, caller), threads)).toList();
            Figures sum = new Figures(0, 0, 0, 0, 0);
            for (CompletableFuture<Figures> run : runs) {
                sum = sum.plus(run.get(duration.toMillis() + 240_000, TimeUnit.MILLISECONDS));
            }
            return sum;
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private Figures runUntil(long end, Caller caller) {
        long entries = 0;
        long beyond = 0;
        long highest = 0;
        long rejections = 0;
        while (System.nanoTime() - end < 0) {
            Optional<Acquired> acquired = caller.tryAcquire();
            if (acquired.isPresent()) {
                // Counted right after the permit was granted, and no more right before it is released.
                int counted = inside.incrementAndGet();
                entries++;
                highest = Math.max(highest, counted);
                beyond += counted > limit ? 1 : 0;
                LockSupport.parkNanos(HOLD_NANOS);
                inside.decrementAndGet();
                acquired.get().release();
            } else {
                rejections++;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return new Figures(entries, beyond, highest, rejections, caller.rejectedUnseen());
    }

    @Override
    public void close() {
        callers.forEach(Caller::close);
    }
}
