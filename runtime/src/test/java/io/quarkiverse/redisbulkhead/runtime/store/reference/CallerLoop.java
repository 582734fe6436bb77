package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Acquired;
import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Caller;

/** The loop of each thread: acquires a permit, is counted, holds it for a moment and releases it; pauses after a rejection. */
final class CallerLoop {

    private static final long HOLD_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** The poll interval of the book's lock. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Caller caller;
    private final Observer observer;
    private final int limit;

    private long entries;
    private long beyond;
    private int highest;
    private long rejections;
    private long rejectedBelowLimit;

    CallerLoop(Caller caller, Observer observer, int limit) {
        this.caller = caller;
        this.observer = observer;
        this.limit = limit;
    }

    LoadFigures runUntil(long endNanoTime) {
        while (System.nanoTime() - endNanoTime < 0) {
            Optional<Acquired> acquired = caller.tryAcquire();
            if (acquired.isPresent()) {
                hold(acquired.get());
            } else {
                rejections++;
                if (observer.inside() < limit) {
                    rejectedBelowLimit++;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return new LoadFigures(entries, beyond, highest, rejections, caller.rejectedUnseen(), rejectedBelowLimit);
    }

    private void hold(Acquired permit) {
        int inside = observer.enter();
        entries++;
        highest = Math.max(highest, inside);
        if (inside > limit) {
            beyond++;
        }
        LockSupport.parkNanos(HOLD_NANOS);
        observer.leave();
        permit.release();
    }
}
