package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The admission to several bulkheads: permits are asked for one after the other in the order given, and given back in
 * reverse order, without one waiting for the other. When one rejects, those already granted are given back before the
 * rejection is told.
 */
final class AdmissionChain implements Admission {

    private final List<Supplier<Admission>> requests;
    private final AdmissionPromise promise = new AdmissionPromise();

    // All are guarded by this.
    private final Deque<Admission> begun = new ArrayDeque<>();
    private final List<HeldPermit> permits = new ArrayList<>();
    private CompletableFuture<Void> ended;

    /**
     * Asks for the first permit.
     *
     * @param semaphores in the order in which they are taken, at least one
     * @param method what the permits are for, as operators see it
     * @param waitsOn what the call occupies while it waits
     */
    AdmissionChain(List<Semaphore> semaphores, String method, WaitsOn waitsOn) {
        this.requests = semaphores.stream().map(semaphore -> semaphore.request(method, waitsOn)).toList();
        admit(0);
    }

    private void admit(int index) {
        Admission next;
        synchronized (this) {
            if (ended != null) {
                promise.reject(new CancellationException("The execution ended before all permits were taken"));
                return;
            }
            next = requests.get(index).get();
            begun.push(next);
        }
        promise.waitWith(next);
        next.granted().whenComplete((held, rejection) -> {
            if (rejection == null) {
                granted(index, held);
            } else {
                end().whenComplete((given, none) -> promise.reject(rejection));
            }
        });
    }

    private void granted(int index, List<HeldPermit> held) {
        List<HeldPermit> all;
        synchronized (this) {
            permits.addAll(held);
            all = List.copyOf(permits);
        }
        if (index + 1 == requests.size()) {
            promise.grant(all);
        } else {
            admit(index + 1);
        }
    }

    @Override
    public List<HeldPermit> heldNow() {
        return promise.heldNow();
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return promise.granted();
    }

    @Override
    public CompletionStage<Void> asked() {
        return promise.asked();
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
