package io.quarkiverse.redisbulkhead.faults.harness;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

/** A call that stays inside its guarded section until the test lets it leave. */
public final class Held {

    private final WorkerProcess worker;
    private final String id;
    private final String bulkhead;

    Held(WorkerProcess worker, String id, String bulkhead) {
        this.worker = worker;
        this.id = id;
        this.bulkhead = bulkhead;
    }

    String id() {
        return id;
    }

    /** Lets the call leave, and waits until it has returned. */
    public void leave() {
        letLeave();
        awaitDone();
    }

    public void letLeave() {
        worker.command("let " + id);
    }

    /** Waits until the call has returned or failed. */
    public void awaitDone() {
        // Callers measure how long this takes.
        await("end of a call of " + bulkhead).atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2)).until(this::isDone);
    }

    /** Whether the call got its permit. */
    public boolean isInside() {
        return worker.hasBegun(id) && !isDone();
    }

    public boolean isDone() {
        return worker.isDone(id);
    }

    /** How a call that is done has ended: {@code returned}, or the kind of its failure. */
    String outcome() {
        return worker.outcome(id);
    }

    @Override
    public String toString() {
        return id;
    }
}
