package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.reference.Checkpoint;
import io.quarkiverse.redisbulkhead.reference.RoundTrip;

/** Stops a client before one of its round trips until the test opens the gate. */
final class Gate implements Checkpoint {

    private final RoundTrip held;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    Gate(RoundTrip held) {
        this.held = held;
    }

    @Override
    public void before(RoundTrip next) {
        if (next == held) {
            reached.countDown();
            await(open);
        }
    }

    void awaitReached() {
        await(reached);
    }

    void open() {
        open.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new AssertionError("No client arrived");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
