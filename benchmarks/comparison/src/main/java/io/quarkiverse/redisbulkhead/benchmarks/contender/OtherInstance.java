package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;

/**
 * An instance that only holds permits. It states its position by hand, once for each bulkhead: an engine would renew the
 * leases, and so use Redis meanwhile.
 */
final class OtherInstance implements AutoCloseable {

    private final RedisShareStore store;
    private final Map<BulkheadId, Position> shares = new ConcurrentHashMap<>();

    OtherInstance(BenchmarkEnvironment environment) {
        store = OwnStore.scripts(environment);
        store.listen(message -> {
            // It keeps no idle permits, so it is not recalled.
        });
    }

    /**
     * Takes permits of bulkheads that have so many to give.
     *
     * @param bulkheads where
     * @param permits how many of each, for a quarter of an hour
     */
    void hold(Iterable<Semaphore> bulkheads, int permits) throws InterruptedException {
        Window window = new Window();
        for (Semaphore bulkhead : bulkheads) {
            window.send(() -> store.sync(needing(bulkhead, permits)).thenAccept(position -> {
                if (position.granted() != permits) {
                    throw new IllegalStateException("It got " + position.granted() + " permits instead of " + permits);
                }
                shares.put(bulkhead.id(), position);
            }));
        }
        window.awaitEmpty();
    }

    private static Statement needing(Semaphore bulkhead, int permits) {
        return statement(bulkhead.id(), 1, 0, 0, 0, bulkhead.spec().permits(), List.of(new Need(0, 0, 1, permits)));
    }

    private static Statement returning(BulkheadId bulkhead, Position share) {
        return statement(bulkhead, share.number() + 1, share.epoch(), share.granted(), share.granted(), share.limit(),
                List.of());
    }

    private static Statement statement(BulkheadId bulkhead, long number, long epoch, long granted, long returned, int limit,
            List<Need> immediate) {
        return new Statement(bulkhead, number, epoch, granted, returned, 0, Limit.LONG_LEASE.toMillis(), limit, false, false,
                List.of(), immediate, 0, 0, "", -1, List.of(), List.of());
    }

    /** Returns all permits. */
    @Override
    public void close() {
        try {
            Window window = new Window();
            for (Map.Entry<BulkheadId, Position> share : shares.entrySet()) {
                window.send(() -> store.sync(returning(share.getKey(), share.getValue())));
            }
            window.awaitEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        store.close();
    }
}
