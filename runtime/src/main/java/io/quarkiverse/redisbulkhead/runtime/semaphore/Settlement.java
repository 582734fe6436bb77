package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The outcome of an admission, and its end. Whichever comes second releases the permit. Thread-safe.
 */
final class Settlement {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final boolean awaitRelease;

    // All of these are guarded by this.
    private boolean settled;
    private LeasedPermit permit;
    private List<Consumer<LeasedPermit>> whenSettled = List.of();
    // Null until end() is called.
    private CompletableFuture<Void> ended;

    /**
     * @param awaitRelease whether {@link #end} waits for the answer to the release
     */
    Settlement(boolean awaitRelease) {
        this.awaitRelease = awaitRelease;
    }

    /**
     * Sets the outcome. Whatever else may be left in the store has been returned by then, or handed to the reclaimer. To be
     * called once.
     *
     * @param given the permit to release at the end; null when there is none
     */
    void settle(LeasedPermit given) {
        CompletableFuture<Void> end;
        List<Consumer<LeasedPermit>> tasks;
        synchronized (this) {
            settled = true;
            permit = given;
            end = ended;
            tasks = whenSettled;
        }
        if (end != null) {
            release(given, end);
        }
        tasks.forEach(task -> task.accept(given));
    }

    /**
     * Runs a task as soon as the outcome is known.
     *
     * @param task receives the permit, or null
     */
    void whenSettled(Consumer<LeasedPermit> task) {
        LeasedPermit given;
        synchronized (this) {
            if (!settled) {
                whenSettled = new ArrayList<>(whenSettled);
                whenSettled.add(task);
                return;
            }
            given = permit;
        }
        task.accept(given);
    }

    /**
     * Ends the admission.
     *
     * @param giveUp called, the first time, when the outcome is not known yet; must bring it about
     * @return always the same; see {@link Admission#end()}
     */
    CompletionStage<Void> end(Runnable giveUp) {
        CompletableFuture<Void> end;
        boolean isSettled;
        LeasedPermit given;
        synchronized (this) {
            if (ended != null) {
                return ended;
            }
            end = awaitRelease ? new Promise<>() : DONE;
            ended = end;
            isSettled = settled;
            given = permit;
        }
        if (isSettled) {
            release(given, end);
        } else {
            giveUp.run();
        }
        return end;
    }

    private void release(LeasedPermit given, CompletableFuture<Void> end) {
        CompletionStage<Boolean> answer = given == null ? null : given.release();
        if (answer == null) {
            end.complete(null);
        } else if (awaitRelease) {
            answer.thenRun(() -> end.complete(null));
        }
    }
}
