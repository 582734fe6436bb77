package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology.Connection;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * Keeps shares in Redis without scripts: each operation takes the lock of the bulkhead, reads its shares and its queue, lets
 * {@link ShareMachine} do there what {@code share.lua} does, and writes the difference.
 * <p>
 * The algorithm is the counting semaphore that is made exact by a lock, of <em>Redis in Action</em>, section 6.3.4, with its
 * sources of error taken out: time is the server's, a transaction makes the step exact however long its process was paused
 * (see {@link ShareStep}), and not getting the lock is not taken for a full bulkhead. The lock is tried again within the
 * contention timeout, with random pauses, as in the book.
 * <p>
 * The data is that of the script store, so applications with either store can share a bulkhead. A step reads all of it, so its
 * cost grows with the instances.
 */
public final class LockShareStore extends RedisShareStore {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(24);

    private final Duration stepTimeout;
    private final Duration contentionTimeout;

    /**
     * Opens nothing yet.
     *
     * @param topology knows where Redis is, and has connections that carry one call at a time; closed together with this store
     * @param stepTimeout the lifetime of the lock, if a process dies within a step
     * @param contentionTimeout for how long an operation tries to get the lock; then it fails with
     *        {@link Kind#CONTENDED}
     */
    public LockShareStore(Topology topology, Duration stepTimeout, Duration contentionTimeout) {
        super(topology);
        this.stepTimeout = stepTimeout;
        this.contentionTimeout = contentionTimeout;
    }

    @Override
    <T> Future<T> step(BulkheadKeys keys, Connection connection, List<byte[]> args, Function<Response, T> reply,
            Function<ShareMachine, T> machine) {
        return new ShareStep(keys, inbox().ownName(), stepTimeout).over(connection, machine);
    }

    @Override
    <T> CompletionStage<T> send(BulkheadKeys keys, Function<Connection, Future<T>> step) {
        return attempt(keys, step, System.nanoTime(), new Backoff(SHORTEST_PAUSE, LONGEST_PAUSE));
    }

    // Each attempt is a call, so that others can use the connection during the pauses.
    private <T> CompletionStage<T> attempt(BulkheadKeys keys, Function<Connection, Future<T>> step, long begunNanos,
            Backoff pauses) {
        return super.send(keys, step).exceptionallyCompose(failure -> {
            if (!StoreException.is(failure, Kind.CONTENDED)) {
                return CompletableFuture.failedStage(failure);
            }
            if (System.nanoTime() - begunNanos >= contentionTimeout.toNanos()) {
                return CompletableFuture.failedStage(new StoreException(Kind.CONTENDED,
                        "This bulkhead could not be locked for " + contentionTimeout.toMillis()
                                + " ms, because other instances held its lock (" + keys.shown()
                                + "lock) or too many calls of this instance waited for a connection. Permits may have been "
                                + "free. Increase quarkus.redis-bulkhead.lock-store.contention-timeout, or let calls wait "
                                + "longer"));
            }
            CompletableFuture<Void> pause = new CompletableFuture<>();
            topology.vertx().setTimer(Math.max(1, pauses.next().toMillis()), timer -> pause.complete(null));
            return pause.thenCompose(over -> attempt(keys, step, begunNanos, pauses));
        });
    }
}
