package io.quarkiverse.redisbulkhead.faults.worker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Permit;
import io.smallrye.mutiny.Uni;

/**
 * One execution of a guarded method. The observer has confirmed its begin before it works, and its end before it returns, so
 * that what the observer sees is never longer than what really happened.
 */
final class Execution {

    private final ObserverLink observer;
    private final String bulkhead;
    private final String key;
    private final Supplier<? extends CompletionStage<Void>> work;

    /**
     * @param key the key, or {@link ObserverLink#NOTHING}
     * @param work what it does, when its begin is confirmed
     */
    Execution(ObserverLink observer, String bulkhead, String key, Supplier<? extends CompletionStage<Void>> work) {
        this.observer = observer;
        this.bulkhead = bulkhead;
        this.key = key;
        this.work = work;
    }

    String key() {
        return key;
    }

    void run(Permit permit) {
        passes(permit).join();
    }

    Uni<Void> runAsync(Permit permit) {
        return Uni.createFrom().completionStage(passes(permit));
    }

    private CompletableFuture<Void> passes(Permit permit) {
        long number = observer.nextNumber();
        String id = permit.id().isEmpty() ? ObserverLink.NOTHING : permit.id();
        return observer.confirmed(number, "in", bulkhead, key, id, Long.toString(permit.fencingToken()))
                .thenCompose(begun -> work.get())
                .thenCompose(done -> observer.confirmed(number, "out"));
    }
}
