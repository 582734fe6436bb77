package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what has begun and not ended, so that a shutdown can wait for it. Safe for use by many threads. */
final class UnderWay {

    private final AtomicInteger count = new AtomicInteger();
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

    /** Something begins. */
    void begin() {
        count.incrementAndGet();
    }

    /** Something that began has ended. */
    void end() {
        if (count.decrementAndGet() == 0) {
            tell();
        }
    }

    /**
     * Waits for the end of all.
     *
     * @return completes when nothing is under way
     */
    CompletionStage<Void> none() {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        waiting.add(idle);
        // The last one may have ended before this was in the queue.
        if (count.get() == 0) {
            tell();
        }
        return idle.minimalCompletionStage();
    }

    private void tell() {
        if (waiting.isEmpty()) {
            return;
        }
        // Who is told may begin something, and wait for that.
        List<CompletableFuture<Void>> told = new ArrayList<>();
        for (CompletableFuture<Void> idle = waiting.poll(); idle != null; idle = waiting.poll()) {
            told.add(idle);
        }
        told.forEach(idle -> idle.complete(null));
    }
}
