package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;

/** A local store with a clock that the test moves. */
public final class LocalStoreFixture implements StoreFixture {

    static final long START_MILLIS = 1_700_000_000_000L;

    /** Close to an overflow, which the store must handle. */
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000);

    private final List<Notice> notices = new CopyOnWriteArrayList<>();
    private final List<LimitMismatch> mismatches = new CopyOnWriteArrayList<>();

    final LocalPermitStore store = new LocalPermitStore(nanoTime::get, START_MILLIS, 0);

    public LocalStoreFixture() {
        store.listen(notices::add, mismatches::add);
    }

    @Override
    public PermitStore first() {
        return store;
    }

    @Override
    public PermitStore second() {
        return store;
    }

    @Override
    public boolean mayLoseData() {
        return false;
    }

    @Override
    public void advance(Duration duration) {
        nanoTime.addAndGet(duration.toNanos());
    }

    @Override
    public List<Notice> notices(PermitStore store) {
        return notices;
    }

    @Override
    public List<LimitMismatch> limitMismatches(PermitStore store) {
        return mismatches;
    }

    @Override
    public void settleNotices() {
        // Notifications arrive before a call returns.
    }

    @Override
    public void forgetNotices() {
        notices.clear();
    }

    @Override
    public void close() {
        // Nothing to close.
    }
}
