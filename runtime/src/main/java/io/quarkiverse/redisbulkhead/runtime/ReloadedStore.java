package io.quarkiverse.redisbulkhead.runtime;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;

/**
 * In dev mode, does not tell that limits differ. Redis remembers for a minute what was declared before a live reload, so a
 * changed limit would look like that of another instance.
 */
final class ReloadedStore extends ObservedShareStore {

    /**
     * @param store tells about limits
     */
    ReloadedStore(ShareStore store) {
        super(store, (operation, time, failure) -> {
        });
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return super.sync(statement).thenApply(position -> position.withOtherLimits(Set.of()));
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return super.look(bulkhead, most).thenApply(seen -> {
            SortedSet<Integer> limits = seen.declaredLimits().size() > 1 ? new TreeSet<>() : seen.declaredLimits();
            return new ShareOverview(seen.granted(), seen.waiting(), seen.resizedTo(), limits, seen.shares(), seen.holds());
        });
    }
}
