package io.quarkiverse.redisbulkhead.test.runtime;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;

/** A store of shares with the faults of a {@link SimulatedStore}. Thread-safe. */
final class SimulatedShares implements ShareStore {

    private final ShareStore store;
    private final SimulatedStore faults;

    SimulatedShares(ShareStore store, SimulatedStore faults) {
        this.store = store;
        this.faults = faults;
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return faults.answer(() -> store.sync(statement));
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return faults.answer(() -> store.revoke(bulkhead, instance, permitId, permits));
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return faults.answer(() -> store.resize(bulkhead, limit));
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return faults.answer(() -> store.look(bulkhead, most));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return faults.answer(() -> store.inUse(most));
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        store.listen(message -> faults.deliver(() -> messages.accept(message)));
    }
}
