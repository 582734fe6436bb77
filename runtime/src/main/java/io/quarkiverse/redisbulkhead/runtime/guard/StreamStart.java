package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The subscription to a stream that is to become a response: the response must not begin before the guarded streams in it have
 * their permits, or it could not become a rejection any more. Knows the streams that are guarded on the thread that subscribes.
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
     * Begins nothing yet.
     *
     * @param decidedLater called when each guarded stream has its permits, or has failed, unless that is so when {@link #by}
     *        returns; takes the executor that runs tasks where {@code by} was called, with the same Vert.x context and on the
     *        same kind of thread
     */
    public StreamStart(Consumer<Executor> decidedLater) {
        this.decidedLater = decidedLater;
    }

    /**
     * Subscribes.
     *
     * @param subscription subscribes to the stream
     * @return whether each guarded stream has its permits, or has failed; true without such streams
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
