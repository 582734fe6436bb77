package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

/** A store that reports the duration of its operations. Exceptions of the listener are logged and do not affect the answer. */
public class ObservedPermitStore implements PermitStore {

    private static final Logger LOG = Logger.getLogger(ObservedPermitStore.class);

    private final PermitStore store;
    private final StoreListener listener;

    /**
     * Reports the operations of a store.
     *
     * @param store does the work
     * @param listener receives the durations
     */
    public ObservedPermitStore(PermitStore store, StoreListener listener) {
        this.store = store;
        this.listener = listener;
    }

    private <T> CompletionStage<T> observed(StoreOperation operation, long begunAt, CompletionStage<T> answer) {
        answer.whenComplete((value, failure) -> {
            Duration time = Duration.ofNanos(System.nanoTime() - begunAt);
            try {
                listener.done(operation, time, Failures.cause(failure));
            } catch (RuntimeException | LinkageError e) {
                LOG.errorf(e, "%s failed", listener.getClass().getName());
            }
        });
        return answer;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return observed(StoreOperation.ACQUIRE, System.nanoTime(), store.acquire(request));
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        return observed(StoreOperation.RELEASE, System.nanoTime(), store.release(bulkhead, permitId, minHold));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return observed(StoreOperation.CANCEL, System.nanoTime(), store.cancel(bulkhead, permitIds, forgetAfter));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        return observed(StoreOperation.RENEW, System.nanoTime(), store.renew(bulkhead, leases));
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        return observed(StoreOperation.POLL, System.nanoTime(), store.poll(bulkhead, limit, permitIds, place));
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return observed(StoreOperation.DETACH, System.nanoTime(), store.detach(bulkhead, permitId, lease, digest, refuseFor));
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        return observed(StoreOperation.ATTACH, System.nanoTime(), store.attach(request));
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return observed(StoreOperation.REVOKE, System.nanoTime(), store.revoke(bulkhead, permitId));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return observed(StoreOperation.RESIZE, System.nanoTime(), store.resize(bulkhead, limit));
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return observed(StoreOperation.RESET_SIZE, System.nanoTime(), store.resetSize(bulkhead));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return observed(StoreOperation.OCCUPANCY, System.nanoTime(), store.occupancy(bulkhead, most));
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return observed(StoreOperation.OWN_PERMITS, System.nanoTime(), store.ownPermits(bulkhead));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return observed(StoreOperation.IN_USE, System.nanoTime(), store.inUse(most));
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches) {
        store.listen(notices, mismatches);
    }
}
