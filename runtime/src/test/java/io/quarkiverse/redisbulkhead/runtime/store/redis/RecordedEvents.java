package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;

/** Records what concerns all bulkheads: {@code differ}, {@code availability}, {@code hears} and {@code deaf}. */
final class RecordedEvents implements ConnectionListener {

    private final List<String> events = new CopyOnWriteArrayList<>();
    private volatile Predicate<BulkheadId> concerned = bulkhead -> false;

    @Override
    public void reconnected(Predicate<BulkheadId> which) {
        concerned = which;
        events.add("differ");
    }

    /** Whether the last reconnect was about this bulkhead. */
    boolean concern(String bulkhead) {
        return concerned.test(BulkheadId.of(bulkhead));
    }

    @Override
    public void availabilityChanged() {
        events.add("availability");
    }

    @Override
    public void hearsRecalls(boolean hears) {
        events.add(hears ? "hears" : "deaf");
    }

    List<String> all() {
        return List.copyOf(events);
    }

    long count(String event) {
        return events.stream().filter(event::equals).count();
    }
}
