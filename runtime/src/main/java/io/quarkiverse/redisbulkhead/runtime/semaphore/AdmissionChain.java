package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The admission to several bulkheads: permits are asked for one after the other in the order given, and given back in
 * reverse order, without one waiting for the other. When one rejects, those already granted are given back before the
 * rejection is told.
 */
public final class AdmissionChain implements Admission {

    private final List<Semaphore> semaphores;
    private final String method;
    private final CompletableFuture<Void> granted = new CompletableFuture<>();

    // Both are guarded by this.
    private final Deque<Admission> begun = new ArrayDeque<>();
    private CompletableFuture<Void> ended;

    /**
     * Asks for the first permit.
     *
     * @param semaphores in the order in which they are taken, at least one
     * @param method what the permits are for, as operators see it
     */
    public AdmissionChain(List<Semaphore> semaphores, String method) {
        this.semaphores = semaphores;
        this.method = method;
        admit(0);
    }

    private void admit(int index) {
        if (index == semaphores.size()) {
            granted.complete(null);
            return;
        }
        Admission next;
        synchronized (this) {
            if (ended != null) {
                granted.completeExceptionally(new CancellationException("The execution ended before all permits were taken"));
                return;
            }
            next = semaphores.get(index).admit(method);
            begun.push(next);
        }
        next.granted().whenComplete((done, rejection) -> {
            if (rejection == null) {
                admit(index + 1);
            } else {
                end().whenComplete((given, none) -> granted.completeExceptionally(StoreFailures.cause(rejection)));
            }
        });
    }

    @Override
    public CompletionStage<Void> granted() {
        return granted.minimalCompletionStage();
    }

    @Override
    public synchronized CompletionStage<Void> end() {
        if (ended == null) {
            ended = CompletableFuture.allOf(begun.stream()
                    .map(admission -> admission.end().toCompletableFuture())
                    .toArray(CompletableFuture[]::new));
        }
        return ended.minimalCompletionStage();
    }
}
