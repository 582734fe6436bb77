package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * An admission with a second way for when the store is away: what the first way fails with is then not told, and the
 * second one decides.
 */
final class FallbackAdmission implements Admission {

    private final Admission first;
    private final Supplier<Admission> fallback;
    private final AdmissionPromise promise = new AdmissionPromise();

    // Both are guarded by this.
    private Admission second;
    private boolean ending;

    /**
     * Goes the first way.
     *
     * @param first the way by the store
     * @param fallback begins the second way
     */
    FallbackAdmission(Admission first, Supplier<Admission> fallback) {
        this.first = first;
        this.fallback = fallback;
        promise.waitWith(first);
        first.granted().whenComplete((permits, rejection) -> {
            if (rejection == null) {
                promise.grant(permits);
            } else if (!StoreFailures.isOutage(rejection) || !goSecondWay()) {
                promise.reject(rejection);
            }
        });
    }

    private boolean goSecondWay() {
        Admission way;
        synchronized (this) {
            if (ending) {
                return false;
            }
            way = fallback.get();
            second = way;
        }
        promise.follow(way);
        return true;
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
    public CompletionStage<Void> end() {
        Admission way;
        synchronized (this) {
            ending = true;
            way = second;
        }
        CompletionStage<Void> firstEnded = first.end();
        return way == null ? firstEnded : firstEnded.thenCombine(way.end(), (a, b) -> null);
    }
}
