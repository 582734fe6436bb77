package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The subscription to a stream that is to become a response: the response must not begin before the guarded streams in it have
 * their permits, or it could not become a rejection any more. Knows the streams that are guarded on the thread that subscribes.
 */
public final class StreamStart {

    private static final ThreadLocal<StreamStart> CURRENT = new ThreadLocal<>();
    private static final Runnable NOTHING = () -> {
    };

    private final Runnable decided;
    // The subscription itself is one of them.
    private final AtomicInteger undecided = new AtomicInteger(1);
    private volatile boolean guarded;

    /**
     * Begins nothing yet.
     *
     * @param decided called when each guarded stream has its permits, or has failed; immediately without such streams
     */
    public StreamStart(Runnable decided) {
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
            decide();
        }
    }

    /** Whether a guarded stream was among those that it subscribed to. */
    public boolean isGuarded() {
        return guarded;
    }

    private void decide() {
        if (undecided.decrementAndGet() == 0) {
            decided.run();
        }
    }

    /**
     * Announces a guarded stream to which the current thread subscribes.
     *
     * @return to be run when it has its permits, or when its failure has reached its subscriber; may be run several times
     */
    static Runnable announce() {
        StreamStart start = CURRENT.get();
        if (start == null) {
            return NOTHING;
        }
        start.guarded = true;
        start.undecided.incrementAndGet();
        AtomicBoolean first = new AtomicBoolean(true);
        return () -> {
            if (first.getAndSet(false)) {
                start.decide();
            }
        };
    }
}
