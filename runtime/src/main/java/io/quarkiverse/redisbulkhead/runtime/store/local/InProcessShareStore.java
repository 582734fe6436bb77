package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;

/**
 * Keeps the shares of one instance in its memory, so that tests of an application without Redis can let the store be away.
 * Without tests, a local bulkhead needs no store. Thread-safe.
 */
public final class InProcessShareStore implements ShareStore {

    private static final class Data {

        private final Map<String, String> fields = new TreeMap<>();
        private final Map<String, Long> queue = new TreeMap<>();
        private long expireAtMillis;
    }

    private final String instance;
    private final LongSupplier nanoTime;
    private final long startMicros;
    private final long startNanos;
    private volatile Consumer<ShareMessage> listener = message -> {
    };
    // Guarded by this.
    private final Map<BulkheadId, Data> bulkheads = new HashMap<>();

    /**
     * An empty store.
     *
     * @param instance the name of the only instance
     * @param nanoTime the clock
     */
    public InProcessShareStore(String instance, LongSupplier nanoTime) {
        this.instance = instance;
        this.nanoTime = nanoTime;
        this.startMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        this.startNanos = nanoTime.getAsLong();
    }

    private <T> CompletionStage<T> step(BulkheadId bulkhead, Function<ShareMachine, T> operation) {
        List<ShareMessage> messages = new ArrayList<>();
        T result;
        synchronized (this) {
            long micros = startMicros + TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - startNanos);
            long millis = TimeUnit.MICROSECONDS.toMillis(micros);
            bulkheads.values().removeIf(data -> data.expireAtMillis <= millis);
            Data data = bulkheads.computeIfAbsent(bulkhead, id -> new Data());
            ShareMachine machine = new ShareMachine(bulkhead, data.fields, data.queue, micros, "local");
            try {
                result = operation.apply(machine);
            } catch (StoreException e) {
                return CompletableFuture.failedStage(e);
            }
            long lives = Math.max(machine.expireMillis(), machine.expireQueueMillis());
            data.expireAtMillis = Math.max(data.expireAtMillis, millis + lives);
            machine.messages().forEach(sent -> messages.add(sent.message()));
        }
        messages.forEach(listener);
        return CompletableFuture.completedFuture(result);
    }

    @Override
    public void whenReady(Runnable task) {
        task.run();
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return step(statement.bulkhead(), machine -> machine.sync(instance, statement));
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String from, String permitId, int permits) {
        return step(bulkhead, machine -> machine.revoke(from, permitId, permits));
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return step(bulkhead, machine -> machine.resize(limit));
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return step(bulkhead, machine -> machine.look(most));
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        listener = messages;
    }
}
