package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/**
 * Counts and bounds the calls of this process that wait for permits: calls that block worker threads over all bulkheads, and
 * all calls per bulkhead over all its keys. Thread-safe.
 */
public final class WaiterLimits {

    /** What a call occupies while it waits for a permit. */
    public enum WaitsOn {

        /** A thread of a bounded pool that is shared with other work: Quarkus' worker pool, or a pool of continuations. */
        WORKER_THREAD,
        /** No such thread: the call is asynchronous, or blocks a virtual thread or a thread of the application. */
        NO_WORKER_THREAD
    }

    private final int maxBlockedThreads;

    // Written within the lock; read without it, because most calls never wait.
    private volatile int blockedThreads;
    // Without bulkheads where no call waits, so that it does not grow with computed names.
    private final Map<String, Integer> byBulkhead = new ConcurrentHashMap<>();

    /**
     * Counts from zero.
     *
     * @param maxBlockedThreads how many calls may block worker threads while they wait; zero or less for none
     */
    public WaiterLimits(int maxBlockedThreads) {
        this.maxBlockedThreads = maxBlockedThreads;
    }

    /**
     * Whether a call cannot wait now.
     *
     * @return the reason: the bound and how to change it; empty when the call may wait
     */
    public Optional<String> reached(SemaphoreSpec spec, WaitsOn waitsOn) {
        Optional<String> threads = threadsReached(waitsOn);
        if (threads.isEmpty() && spec.maxWaiters().isPresent()
                && atBulkhead(spec.name()) >= spec.maxWaiters().getAsInt()) {
            return Optional.of(spec.maxWaiters().getAsInt() + " calls of this instance already wait for this bulkhead. Raise "
                    + "quarkus.redis-bulkhead.\"" + spec.name() + "\".max-waiters, or SemaphoreSpec.maxWaiters for a bulkhead "
                    + "that is defined in code");
        }
        return threads;
    }

    private Optional<String> threadsReached(WaitsOn waitsOn) {
        return waitsOn == WaitsOn.NO_WORKER_THREAD || blockedThreads < maxBlockedThreads ? Optional.empty()
                : Optional.of(maxBlockedThreads + " calls of this instance already block worker threads while they wait for "
                        + "permits. Return a Uni, use virtual threads, or raise quarkus.redis-bulkhead.max-blocked-threads");
    }

    /**
     * Counts a call that starts to wait, unless a bound is reached.
     *
     * @param briefly it blocks for a moment although it does not want to wait, so only the bound of threads counts
     * @return the reason as in {@link #reached}; empty when the call is counted, and {@link #leave} must follow
     */
    public synchronized Optional<String> enter(SemaphoreSpec spec, WaitsOn waitsOn, boolean briefly) {
        Optional<String> bound = briefly ? threadsReached(waitsOn) : reached(spec, waitsOn);
        if (bound.isEmpty()) {
            blockedThreads += threads(waitsOn);
            if (!briefly) {
                byBulkhead.merge(spec.name(), 1, Integer::sum);
            }
        }
        return bound;
    }

    /** Counts a call off. */
    public synchronized void leave(SemaphoreSpec spec, WaitsOn waitsOn, boolean briefly) {
        blockedThreads -= threads(waitsOn);
        if (!briefly) {
            byBulkhead.computeIfPresent(spec.name(), (name, calls) -> calls == 1 ? null : calls - 1);
        }
    }

    private static int threads(WaitsOn waitsOn) {
        return waitsOn == WaitsOn.WORKER_THREAD ? 1 : 0;
    }

    /** How many calls block worker threads now. */
    public int blockedThreads() {
        return blockedThreads;
    }

    /** How many calls wait at a bulkhead now, over all keys. */
    public int atBulkhead(String bulkhead) {
        return byBulkhead.getOrDefault(bulkhead, 0);
    }

    /** Whether no call is counted. */
    public boolean isEmpty() {
        return blockedThreads == 0 && byBulkhead.isEmpty();
    }
}
