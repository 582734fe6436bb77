package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what is in flight, so that a shutdown can wait for it. Thread-safe. */
public final class InFlightCounter {

    private final AtomicInteger count = new AtomicInteger();
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

    public void begin() {
        count.incrementAndGet();
    }

    public void end() {
        if (count.decrementAndGet() == 0) {
            completeWaiting();
        }
    }

    public boolean isIdle() {
        return count.get() == 0;
    }

    /** Completes when nothing is in flight. */
    public CompletionStage<Void> idle() {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        waiting.add(idle);
        // The last one may have ended before this was in the queue.
        if (isIdle()) {
            completeWaiting();
        }
        return idle.minimalCompletionStage();
    }

    private void completeWaiting() {
        if (waiting.isEmpty()) {
            return;
        }
        // Collected first: a continuation may begin something and wait for that.
        List<CompletableFuture<Void>> idle = new ArrayList<>();
        for (CompletableFuture<Void> next = waiting.poll(); next != null; next = waiting.poll()) {
            idle.add(next);
        }
        idle.forEach(next -> next.complete(null));
    }
}
