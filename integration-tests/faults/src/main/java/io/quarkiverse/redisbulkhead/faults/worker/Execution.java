package io.quarkiverse.redisbulkhead.faults.worker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.Permit;
import io.smallrye.mutiny.Uni;

/**
 * One execution of a guarded method. The observer confirms its start before it works, and its end before it returns, so the
 * observer never sees it longer than it really was.
 */
final class Execution {

    private final ObserverLink observer;
    private final String method;
    private final String key;
    private final Function<Permit, ? extends CompletionStage<Void>> work;

    /** Of a guarded method, with the key or {@link ObserverLink#NOTHING}, and work that runs after the start is confirmed. */
    Execution(ObserverLink observer, String method, String key, Function<Permit, ? extends CompletionStage<Void>> work) {
        this.observer = observer;
        this.method = method;
        this.key = key;
        this.work = work;
    }

    String method() {
        return method;
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
        return observer
                .confirmed(number, "in", GuardedWork.bulkhead(method), key, id, Long.toString(permit.fencingToken()),
                        Integer.toString(GuardedWork.weight(method)))
                .thenCompose(begun -> work.apply(permit))
                .thenCompose(done -> observer.confirmed(number, "out"));
    }
}
