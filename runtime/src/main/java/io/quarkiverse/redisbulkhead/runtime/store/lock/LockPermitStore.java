package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockedStep.Operation;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadScan;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RefusedException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Keeps permits in Redis without scripts: each step takes a lock of the bulkhead, reads the whole bulkhead into the state
 * machine {@link io.quarkiverse.redisbulkhead.runtime.store.local.BulkheadStateMachine}, does its operations there, and writes
 * the difference.
 * <p>
 * The algorithm is the counting semaphore that is made exact by a lock, of <em>Redis in Action</em>, section 6.3.4, with its
 * sources of error taken out: time is the server's ({@code TIME}), the lock is watched by the transaction that writes, so a
 * process that was paused for longer than the lock lives changes nothing, and not getting the lock is not taken for a full
 * bulkhead. Operations of a process that arrive while one of its steps is in flight share the next one.
 * <p>
 * The data is laid out as the scripts lay it out, and a transaction fails when a script has changed it meanwhile, so
 * applications with either store can share a bulkhead.
 * <p>
 * A step costs time in proportion to the holders and waiters of its bulkhead, so there may be {@value #MOST} of them together:
 * more are refused with {@link io.quarkiverse.redisbulkhead.runtime.store.StoreException}. Where another store has let more
 * in, permits can still be released, renewed and revoked, waiters can leave and poll, and the dead are removed; nothing is
 * granted or handed over until enough of them have gone.
 */
public final class LockPermitStore implements PermitStore {

    /** How long keys outlive what they hold. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** How many holders and waiters a bulkhead may have. */
    static final int MOST = 1_000;

    /** How many permits a step is about, unless a single operation is about more. */
    private static final int MOST_IDS = 500;

    private static final Duration SHORTEST_PAUSE = Duration.ofNanos(1_500_000);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(24);

    /** For how long after a failed attempt the lock counts as contended. */
    private static final long CONTENDED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RedisConnectionManager connections;
    private final NotificationSubscriber notifications;
    private final Settings settings;
    private final BiConsumer<Duration, Runnable> timer;
    private final BulkheadScan scan;
    private volatile Consumer<LimitMismatch> mismatches = mismatch -> {
    };
    /** Bulkheads with pending operations. */
    private final ConcurrentHashMap<BulkheadId, StepQueue> queues = new ConcurrentHashMap<>();

    /**
     * How steps are done.
     *
     * @param process the channel of this process, which is also its name
     * @param stepTimeout the lock of a process that died within a step expires after this time
     * @param contentionTimeout for how long an operation tries to get the lock
     * @param slack how long keys outlive what they hold
     * @param most how many holders and waiters a bulkhead may have
     * @param clock the clock of the server
     */
    record Settings(String process, Duration stepTimeout, Duration contentionTimeout, Duration slack, int most, Clock clock) {
    }

    /**
     * The clock of the server; tests replace it.
     *
     * @param command reads the time
     * @param micros reads the reply, in microseconds since the epoch
     */
    record Clock(Supplier<Request> command, ToLongFunction<Response> micros) {

        static final Clock OF_SERVER = new Clock(() -> Request.cmd(Command.TIME),
                reply -> reply.get(0).toLong() * 1_000_000 + reply.get(1).toLong());
    }

    /**
     * Creates the store.
     *
     * @param connections to Redis, each with one call in flight at a time
     * @param notifications receives messages for the waiters and holders of this process; opened when a call waits
     * @param stepTimeout the lifetime of the lock, if a process dies within a step
     * @param contentionTimeout for how long an operation tries to get the lock; then it fails with
     *        {@link io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException}
     * @param timer runs a task after a delay
     */
    public LockPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications, Duration stepTimeout,
            Duration contentionTimeout, BiConsumer<Duration, Runnable> timer) {
        this(connections, notifications,
                new Settings(notifications.name(), stepTimeout, contentionTimeout, SLACK, MOST, Clock.OF_SERVER), timer);
    }

    LockPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications, Settings settings,
            BiConsumer<Duration, Runnable> timer) {
        this.connections = connections;
        this.scan = new BulkheadScan(connections);
        this.notifications = notifications;
        this.settings = settings;
        this.timer = timer;
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> limitMismatches) {
        notifications.listen(notices);
        mismatches = limitMismatches;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return submit(request.bulkhead(),
                Operation.repeatable(List.of(request.permitId()), it -> it.acquire(notifications.name(), request)))
                .thenApply(reply -> {
                    if (reply instanceof AcquireReply.Waiting) {
                        notifications.open();
                    }
                    return reply;
                });
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        // With a minimum hold it may write, which needs memory.
        return submit(bulkhead, minHold.isZero()
                ? Operation.removing(permitId, it -> it.release(permitId, minHold))
                : Operation.changing(List.of(permitId, PermitStore.releasedId(permitId)),
                        it -> it.release(permitId, minHold)));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return submit(bulkhead, Operation.repeatable(permitIds, it -> {
            it.cancel(permitIds, forgetAfter);
            return null;
        }));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        // A permit that is held for so long may be revoked.
        notifications.open();
        return submit(bulkhead, Operation.repeatable(List.copyOf(leases.keySet()), it -> it.renew(leases)));
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        notifications.check(false);
        return submit(bulkhead, Operation.repeatable(List.copyOf(permitIds),
                it -> it.poll(notifications.name(), limit, permitIds, place))).thenApply(reply -> {
                    if (!reply.handedOver().isEmpty()) {
                        // The messages about these hand-overs may have been lost.
                        notifications.check(true);
                    }
                    return reply;
                });
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return submit(bulkhead,
                Operation.repeatable(List.of(permitId), it -> it.detach(permitId, lease, digest, refuseFor)));
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        notifications.open();
        return submit(request.permit().bulkhead(), Operation.repeatable(
                List.of(request.permit().permitId(), request.detachedId()),
                it -> it.attach(notifications.name(), request)));
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return submit(bulkhead, Operation.removing(permitId, it -> it.revoke(permitId)));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return submit(bulkhead, Operation.repeatable(List.of(), it -> {
            it.resize(OptionalInt.of(limit));
            return null;
        }));
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return submit(bulkhead, Operation.changing(List.of(), it -> it.resize(OptionalInt.empty())));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return look(bulkhead, stored -> stored.occupancy(most));
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return look(bulkhead, stored -> stored.bulkhead().ownPermits(notifications.name()));
    }

    // Without the lock, in a transaction that only reads.
    private <T> CompletionStage<T> look(BulkheadId bulkhead, Function<StoredBulkhead, T> read) {
        BulkheadKeys keys = new BulkheadKeys(connections.keyPrefix(), bulkhead);
        return connections.send(RedisCall.of(keys.shown() + "*", keys.start(),
                connection -> connection.sendAll(StoredBulkhead.sizes(keys))
                        .compose(sizes -> StoredBulkhead.read(keys, settings, List.of(), sizes,
                                commands -> connection.transaction(commands).map(Optional::orElseThrow), connection))
                        .map(read)));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return scan.inUse(most);
    }

    /** How many bulkheads have pending operations. */
    int busy() {
        return queues.size();
    }

    // ---- Steps: one of a bulkhead at a time; operations that come meanwhile share the next one

    /** The pending operations of one bulkhead; in the map only while there are any. Guarded by itself. */
    static final class StepQueue {

        private final BulkheadKeys keys;
        private final Deque<Operation<?>> pending = new ArrayDeque<>();
        private final Backoff backoff;
        private long lastContentionNanos = System.nanoTime() - CONTENDED_NANOS;
        private boolean begun;
        private boolean over;

        StepQueue(BulkheadKeys keys, Backoff backoff) {
            this.keys = keys;
            this.backoff = backoff;
        }

        /** Whether it was not too late. */
        private synchronized boolean add(Operation<?> operation) {
            return !over && pending.add(operation);
        }

        /** Whether the caller is to begin. */
        private synchronized boolean begin() {
            boolean first = !begun;
            begun = true;
            return first;
        }

        private synchronized List<Operation<?>> nextBatch() {
            List<Operation<?>> batch = new ArrayList<>();
            int ids = 0;
            while (!pending.isEmpty() && (batch.isEmpty() || fits(pending.peek(), ids))) {
                Operation<?> next = pending.poll();
                ids += next.ids().size();
                batch.add(next);
                if (next.isAlone()) {
                    break;
                }
            }
            over = batch.isEmpty();
            return batch;
        }

        private static boolean fits(Operation<?> next, int ids) {
            return !next.isAlone() && ids + next.ids().size() <= MOST_IDS;
        }

        private synchronized void addFirst(List<Operation<?>> operations) {
            for (int i = operations.size() - 1; i >= 0; i--) {
                pending.addFirst(operations.get(i));
            }
        }

        private synchronized boolean hasMore() {
            return !pending.isEmpty();
        }

        Duration pauseAfterContention() {
            lastContentionNanos = System.nanoTime();
            return backoff.next();
        }

        // A process that has just given the lock back would nearly always get it again.
        Duration pauseAfterSuccess() {
            backoff.reset();
            if (System.nanoTime() - lastContentionNanos >= CONTENDED_NANOS) {
                return Duration.ZERO;
            }
            Duration pause = backoff.next();
            // The next failed attempt is the first one again.
            backoff.reset();
            return pause;
        }
    }

    private <T> CompletionStage<T> submit(BulkheadId bulkhead, Operation<T> operation) {
        StepQueue queue = queueOf(bulkhead);
        while (!queue.add(operation)) {
            // It has just ended, and leaves the map here or there.
            queues.remove(bulkhead, queue);
            queue = queueOf(bulkhead);
        }
        if (queue.begin()) {
            next(queue);
        }
        return operation.answer().minimalCompletionStage();
    }

    private StepQueue queueOf(BulkheadId bulkhead) {
        return queues.computeIfAbsent(bulkhead, id -> new StepQueue(new BulkheadKeys(connections.keyPrefix(), id),
                new Backoff(SHORTEST_PAUSE, LONGEST_PAUSE)));
    }

    private void next(StepQueue queue) {
        List<Operation<?>> batch = queue.nextBatch();
        if (batch.isEmpty()) {
            queues.remove(queue.keys.bulkhead(), queue);
        } else {
            attempt(queue, new LockedStep(queue.keys, settings, batch, false));
        }
    }

    private void attempt(StepQueue queue, LockedStep step) {
        connections.send(step).whenComplete((result, failure) -> {
            if (failure == null) {
                ended(queue, step, result);
            } else {
                failed(queue, step, failure);
            }
        });
    }

    private void ended(StepQueue queue, LockedStep step, LockedStep.Result result) {
        switch (result.progress()) {
            case CLEANED -> attempt(queue, step.again());
            case LOCKED, OVERTAKEN -> {
                step.giveUpLate();
                if (step.operations().isEmpty()) {
                    next(queue);
                } else {
                    timer.accept(queue.pauseAfterContention(), () -> attempt(queue, step.again()));
                }
            }
            case DONE -> {
                result.notices().forEach(notifications::notifyListener);
                result.mismatches().forEach(mismatches);
                Duration pause = queue.pauseAfterSuccess();
                step.operations().forEach(Operation::succeed);
                if (pause.isZero() || !queue.hasMore()) {
                    next(queue);
                } else {
                    timer.accept(pause, () -> next(queue));
                }
            }
        }
    }

    private void failed(StepQueue queue, LockedStep step, Throwable failure) {
        List<Operation<?>> operations = step.operations();
        boolean memoryIsFull = failure instanceof RefusedException refused && refused.reply().is("OOM");
        if (memoryIsFull && operations.size() > 1) {
            // Some of them need no memory, and must not fail because of the others.
            operations.forEach(Operation::separate);
            queue.addFirst(operations);
        } else if (memoryIsFull && !step.isFrugal() && operations.get(0).onlyRemoves()) {
            attempt(queue, new LockedStep(queue.keys, settings, operations, true));
            return;
        } else {
            operations.forEach(operation -> operation.fail(failure));
        }
        next(queue);
    }
}
