package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;

/** Records what concerns all bulkheads: {@code differ}, {@code availability}, {@code hears} and {@code deaf}. */
final class RecordedEvents implements ConnectionListener {

    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void reconnected() {
        events.add("differ");
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
