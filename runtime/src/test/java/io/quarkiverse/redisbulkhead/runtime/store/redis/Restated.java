package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** Makes a call again while it fails for a transient reason, as the sender of a statement does. */
final class Restated {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private Restated() {
    }

    static <T> CompletableFuture<T> until(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        attempt(call, result, new Backoff(FIRST_PAUSE, LONGEST_PAUSE));
        return result;
    }

    private static <T> void attempt(Supplier<CompletionStage<T>> call, CompletableFuture<T> result, Backoff pauses) {
        call.get().whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else if (Failures.cause(failure) instanceof StoreException known && known.isRetryable()) {
                CompletableFuture.delayedExecutor(pauses.next().toMillis(), TimeUnit.MILLISECONDS)
                        .execute(() -> attempt(call, result, pauses));
            } else {
                result.completeExceptionally(Failures.cause(failure));
            }
        });
    }
}
