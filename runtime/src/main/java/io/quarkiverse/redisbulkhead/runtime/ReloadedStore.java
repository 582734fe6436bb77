package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;

/**
 * Does not tell that limits differ in the first minute after a live reload. Redis remembers for a minute what was declared
 * before, so a changed limit would look like that of another instance.
 */
final class ReloadedStore extends ObservedShareStore {

    private static final long REMEMBERED_NANOS = Duration.ofSeconds(61).toNanos();

    // Live reloads replace the classes of the application only.
    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private final long start = System.nanoTime();

    private ReloadedStore(ShareStore store) {
        super(store, (operation, time, failure) -> {
        });
    }

    /**
     * The store of an application that starts in dev mode.
     *
     * @param store tells about limits
     * @return the same store, or after a live reload one that tells later
     */
    static ShareStore inDevMode(ShareStore store) {
        return STARTED.getAndSet(true) ? new ReloadedStore(store) : store;
    }

    private boolean mayBeOwn() {
        return System.nanoTime() - start < REMEMBERED_NANOS;
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return super.sync(statement).thenApply(position -> mayBeOwn() ? position.withOtherLimits(Set.of()) : position);
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return super.look(bulkhead, most).thenApply(seen -> seen.declaredLimits().size() > 1 && mayBeOwn()
                ? new ShareOverview(seen.granted(), seen.waiting(), seen.resizedTo(), new TreeSet<>(), seen.shares(),
                        seen.holds())
                : seen);
    }
}
