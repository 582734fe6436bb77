package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Forwards all calls to another store. */
public class ForwardingStore implements PermitStore {

    private final PermitStore store;

    public ForwardingStore(PermitStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return store.acquire(request);
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        return store.release(bulkhead, permitId);
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        return minHold.isZero() ? release(bulkhead, permitId) : store.release(bulkhead, permitId, minHold);
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return store.cancel(bulkhead, permitIds, forgetAfter);
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        return store.renew(bulkhead, leases);
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        return store.poll(bulkhead, limit, permitIds, place);
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return store.detach(bulkhead, permitId, lease, digest, refuseFor);
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        return store.attach(request);
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return store.revoke(bulkhead, permitId);
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return store.resize(bulkhead, limit);
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return store.resetSize(bulkhead);
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return store.occupancy(bulkhead, most);
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return store.ownPermits(bulkhead);
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return store.inUse(most);
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches) {
        store.listen(notices, mismatches);
    }
}
