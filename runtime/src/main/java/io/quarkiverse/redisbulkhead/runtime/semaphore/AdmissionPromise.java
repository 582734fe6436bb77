package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/** What an admission tells: that it is granted or rejected, and before that, whether it must wait. */
final class AdmissionPromise {

    private final Promise<List<HeldPermit>> granted = new Promise<>();

    // Both are guarded by this. Few ask before the answer is there, so mostly there is no promise of that.
    private Promise<Void> asked;
    private boolean clear;

    void grant(List<HeldPermit> permits) {
        granted.complete(permits);
        becomesClear();
    }

    void reject(Throwable rejection) {
        granted.completeExceptionally(Failures.cause(rejection));
        becomesClear();
    }

    /** From now on it is clear whether the execution must wait; see {@link Admission#asked()}. */
    void becomesClear() {
        Promise<Void> told;
        synchronized (this) {
            clear = true;
            told = asked;
        }
        if (told != null) {
            told.complete(null);
        }
    }

    /** Must wait when the other one must. */
    void waitWith(Admission other) {
        other.asked().thenRun(() -> {
            if (!other.granted().toCompletableFuture().isDone()) {
                becomesClear();
            }
        });
    }

    /** Is granted or rejected when the other one is. */
    void follow(Admission other) {
        waitWith(other);
        other.granted().whenComplete((permits, rejection) -> {
            if (rejection == null) {
                grant(permits);
            } else {
                reject(rejection);
            }
        });
    }

    /** See {@link Admission#heldNow()}. */
    List<HeldPermit> heldNow() {
        return granted.isDone() && !granted.isCompletedExceptionally() ? granted.join() : List.of();
    }

    /** See {@link Admission#granted()}. */
    CompletionStage<List<HeldPermit>> granted() {
        return granted;
    }

    /** See {@link Admission#asked()}. */
    synchronized CompletionStage<Void> asked() {
        if (asked == null) {
            asked = new Promise<>();
            if (clear) {
                asked.complete(null);
            }
        }
        return asked;
    }
}
