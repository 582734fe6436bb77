package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts callers of one JVM. */
final class JvmObserver implements Observer {

    private final AtomicInteger inside = new AtomicInteger();

    @Override
    public int enter() {
        return inside.incrementAndGet();
    }

    @Override
    public void leave() {
        inside.decrementAndGet();
    }

    @Override
    public int inside() {
        return inside.get();
    }
}
