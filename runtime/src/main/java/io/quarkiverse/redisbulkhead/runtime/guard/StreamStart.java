package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Subscribes to a stream whose response must not begin before the guarded streams in it have their permits: afterwards, it
 * could not be a rejection any more. Guarded streams announce themselves on the thread that subscribes.
 */
public final class StreamStart {

    private static final ThreadLocal<StreamStart> CURRENT = new ThreadLocal<>();

    private final Consumer<Executor> decided;
    // The subscription itself is one of them.
    private final AtomicInteger undecided = new AtomicInteger(1);
    // Where the first guarded stream was subscribed to; null without one.
    private volatile Executor here;

    /**
     * Does not subscribe yet.
     *
     * @param decided called once each guarded stream has its permits or has failed. Takes an executor that has the Vert.x
     *        context and the kind of thread of the subscription, or null on the thread that subscribed
     */
    public StreamStart(Consumer<Executor> decided) {
        this.decided = decided;
    }

    /**
     * Subscribes.
     *
     * @param subscription subscribes to the stream
     */
    public void by(Runnable subscription) {
        StreamStart outer = CURRENT.get();
        CURRENT.set(this);
        try {
            subscription.run();
        } finally {
            CURRENT.set(outer);
        }
        decide(null);
    }

    private void decide(Executor executor) {
        if (undecided.decrementAndGet() == 0) {
            decided.accept(executor);
        }
    }

    /** Whether a guarded stream was among those that it subscribed to. */
    public boolean isGuarded() {
        return here != null;
    }

    /**
     * Announces a guarded stream to which the current thread subscribes.
     *
     * @param continuations knows where the subscription continues
     * @return to be completed when it has its permits, or when its failure has reached its subscriber
     */
    static CompletableFuture<Void> announce(Continuations continuations) {
        CompletableFuture<Void> decision = new CompletableFuture<>();
        StreamStart start = CURRENT.get();
        if (start != null) {
            if (start.here == null) {
                start.here = continuations.here();
            }
            start.undecided.incrementAndGet();
            decision.thenRun(() -> start.decide(start.here));
        }
        return decision;
    }
}
