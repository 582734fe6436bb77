package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Subscribes to a stream whose response must not begin before the guarded streams in it have their permits: afterwards, it
 * could not be a rejection any more. Guarded streams announce themselves on the thread that subscribes.
 */
public final class StreamStart {

    private static final ThreadLocal<StreamStart> CURRENT = new ThreadLocal<>();
    private static final Runnable NOTHING = () -> {
    };

    private final Consumer<Executor> decidedLater;
    // The subscription itself is one of them.
    private final AtomicInteger undecided = new AtomicInteger(1);
    // Where the first guarded stream was subscribed to; null without one.
    private volatile Executor here;

    /**
     * Does not subscribe yet.
     *
     * @param decidedLater called once each guarded stream has its permits or has failed, unless {@link #by} has returned
     *        {@code true}; takes an executor that has the Vert.x context and the kind of thread of the subscription
     */
    public StreamStart(Consumer<Executor> decidedLater) {
        this.decidedLater = decidedLater;
    }

    /**
     * Subscribes.
     *
     * @param subscription subscribes to the stream
     * @return {@code true} if each guarded stream has its permits or has failed already, and without such streams
     */
    public boolean by(Runnable subscription) {
        StreamStart outer = CURRENT.get();
        CURRENT.set(this);
        try {
            subscription.run();
        } finally {
            CURRENT.set(outer);
        }
        return undecided.decrementAndGet() == 0;
    }

    /** Whether a guarded stream was among those that it subscribed to. */
    public boolean isGuarded() {
        return here != null;
    }

    /**
     * Announces a guarded stream to which the current thread subscribes.
     *
     * @param continuations knows where the subscription continues
     * @return to be run when it has its permits, or when its failure has reached its subscriber; may be run several times
     */
    static Runnable announce(Continuations continuations) {
        StreamStart start = CURRENT.get();
        if (start == null) {
            return NOTHING;
        }
        if (start.here == null) {
            start.here = continuations.here();
        }
        start.undecided.incrementAndGet();
        AtomicBoolean first = new AtomicBoolean(true);
        return () -> {
            if (first.getAndSet(false) && start.undecided.decrementAndGet() == 0) {
                start.decidedLater.accept(start.here);
            }
        };
    }
}
