package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/** What an admission tells: that it is granted or rejected, and before that, whether it must wait. */
final class AdmissionPromise {

    private final CompletableFuture<List<HeldPermit>> granted = new CompletableFuture<>();
    private final CompletableFuture<Void> asked = new CompletableFuture<>();

    void grant(List<HeldPermit> permits) {
        granted.complete(permits);
        asked.complete(null);
    }

    void reject(Throwable rejection) {
        granted.completeExceptionally(Failures.cause(rejection));
        asked.complete(null);
    }

    void mustWait() {
        asked.complete(null);
    }

    /** Must wait when the other one must. */
    void waitWith(Admission other) {
        other.asked().thenRun(() -> {
            if (!other.granted().toCompletableFuture().isDone()) {
                mustWait();
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

    /** See {@link Admission#granted()}. */
    CompletionStage<List<HeldPermit>> granted() {
        return granted.minimalCompletionStage();
    }

    /** See {@link Admission#asked()}. */
    CompletionStage<Void> asked() {
        return asked.minimalCompletionStage();
    }
}
