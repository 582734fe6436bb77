package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * What an admission has come to, and its end. Whichever of the two comes second gives the permit back. Safe for use by many
 * threads.
 */
final class Settlement {

    private static final CompletableFuture<Boolean> NOTHING_HELD = CompletableFuture.completedFuture(false);

    private final Runnable whenEnded;

    // All of these are guarded by this.
    private boolean settled;
    private LeasedPermit permit;
    private List<Consumer<LeasedPermit>> whenSettled = List.of();
    // Null until this is to end.
    private Promise<Void> ended;

    /**
     * @param whenEnded called once, before those are told who wait for the end
     */
    Settlement(Runnable whenEnded) {
        this.whenEnded = whenEnded;
    }

    /**
     * It is known what the admission has come to. Whatever else may be left in the store has been given back by then, or handed
     * to the reclaimer. To be called once.
     *
     * @param given the permit to give back at the end, or null when there is none
     */
    void settle(LeasedPermit given) {
        boolean ends;
        List<Consumer<LeasedPermit>> tasks;
        synchronized (this) {
            settled = true;
            permit = given;
            ends = ended != null;
            tasks = whenSettled;
        }
        if (ends) {
            giveBack(given);
        }
        tasks.forEach(task -> task.accept(given));
    }

    /**
     * Does something as soon as it is known what the admission has come to.
     *
     * @param task given the permit, or null
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
     * The admission is to end.
     *
     * @param giveUp called, the first time, when it has not come to anything yet; must see to it that it does
     * @return completes when the permit is given back; always the same
     */
    CompletionStage<Void> end(Runnable giveUp) {
        Promise<Void> end;
        boolean isSettled;
        LeasedPermit given;
        synchronized (this) {
            if (ended != null) {
                return ended;
            }
            end = new Promise<>();
            ended = end;
            isSettled = settled;
            given = permit;
        }
        if (isSettled) {
            giveBack(given);
        } else {
            giveUp.run();
        }
        return end;
    }

    private void giveBack(LeasedPermit given) {
        CompletableFuture<Boolean> released = given == null ? NOTHING_HELD : given.release().toCompletableFuture();
        if (released.isDone()) {
            hasEnded();
        } else {
            released.whenComplete((wasHeld, none) -> hasEnded());
        }
    }

    private void hasEnded() {
        Promise<Void> end;
        synchronized (this) {
            end = ended;
        }
        whenEnded.run();
        end.complete(null);
    }
}
