package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.Bounds;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadScan;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisAnswer;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;

/**
 * Keeps permits in Redis without scripts: each step takes a lock of the bulkhead, reads the whole bulkhead into the state
 * machine {@link io.quarkiverse.redisbulkhead.runtime.store.local.Bulkhead}, does its operations there, and writes the
 * difference.
 * <p>
 * The algorithm is the counting semaphore that is made exact by a lock, of <em>Redis in Action</em>, section 6.3.4, with its
 * sources of error taken out: time is the server's ({@code TIME}), the lock is watched by the transaction that writes, so a
 * process that was paused for longer than the lock lives changes nothing, and not getting the lock is not taken for a full
 * bulkhead. Operations of a process that come while one of its steps is under way go together in the next one.
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

    private final RedisConnectionManager connections;
    private final NotificationSubscriber notifications;
    private final String keyPrefix;
    private final StepSettings settings;
    private final StepQueues queues;
    private final BulkheadScan scan;

    /**
     * Creates the store.
     *
     * @param connections to Redis, with one call under way at a time each
     * @param notifications hears what becomes of the waiters and holders of this process; opened when a call waits
     * @param keyPrefix what all keys start with; without braces
     * @param stepTimeout after which time the lock of a process that died within a step is free
     * @param contentionTimeout for how long an operation tries to get the lock; then it fails with
     *        {@link io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException}
     * @param cluster whether the connections are to a Redis Cluster
     * @param timer does something later
     */
    public LockPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications, String keyPrefix,
            Duration stepTimeout,
            Duration contentionTimeout, boolean cluster, BiConsumer<Duration, Runnable> timer) {
        this(connections, notifications, keyPrefix,
                new StepSettings(stepTimeout, contentionTimeout, SLACK, MOST, new ServerClock()),
                cluster, timer);
    }

    LockPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications, String keyPrefix,
            StepSettings settings,
            boolean cluster, BiConsumer<Duration, Runnable> timer) {
        this.connections = connections;
        this.scan = new BulkheadScan(keyPrefix, cluster);
        this.notifications = notifications;
        this.keyPrefix = keyPrefix;
        this.settings = settings;
        this.queues = new StepQueues(connections, settings, this::names, timer, notifications::tell);
    }

    private StoredBulkhead.Names names(BulkheadId bulkhead) {
        return new StoredBulkhead.Names(bulkhead, notifications.name(), new BulkheadKeys(keyPrefix, bulkhead));
    }

    @Override
    public void listen(Consumer<Notice> listener) {
        notifications.listen(listener);
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return Bounds.checked(() -> Bounds.check(request), () -> queues.submit(request.bulkhead(),
                Operation.repeatable(List.of(request.permitId()), it -> it.acquire(notifications.name(), request)))
                .thenApply(reply -> {
                    if (reply instanceof AcquireReply.Waiting) {
                        notifications.open();
                    }
                    return reply;
                }));
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        return Bounds.checked(() -> Bounds.checkId(permitId), () -> queues.submit(bulkhead,
                Operation.removing(permitId, it -> it.release(permitId, Duration.ZERO))));
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        if (minHold.isZero()) {
            return release(bulkhead, permitId);
        }
        // It may write, which needs memory.
        return Bounds.checked(() -> Bounds.checkId(permitId), () -> queues.submit(bulkhead, Operation.changing(
                List.of(permitId, PermitStore.releasedId(permitId)), it -> it.release(permitId, minHold))));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return Bounds.checked(() -> Bounds.check(permitIds), () -> queues.submit(bulkhead,
                Operation.repeatable(permitIds, it -> {
                    it.cancel(permitIds, forgetAfter);
                    return null;
                })));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        return Bounds.checked(() -> Bounds.checkLeases(leases), () -> {
            // A permit that is held for so long may be revoked.
            notifications.open();
            return queues.submit(bulkhead, Operation.repeatable(List.copyOf(leases.keySet()), it -> it.renew(leases)));
        });
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        return Bounds.checked(() -> {
            Bounds.checkLimit(limit);
            Bounds.checkPolled(permitIds, place);
        }, () -> {
            notifications.check(false);
            return queues.submit(bulkhead, Operation.repeatable(List.copyOf(permitIds),
                    it -> it.poll(notifications.name(), limit, permitIds, place))).thenApply(reply -> {
                        if (!reply.handedOver().isEmpty()) {
                            // A message should have told of them.
                            notifications.check(true);
                        }
                        return reply;
                    });
        });
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return Bounds.checked(() -> {
            Bounds.checkId(permitId);
            Bounds.checkDigest(digest);
        }, () -> queues.submit(bulkhead,
                Operation.repeatable(List.of(permitId), it -> it.detach(permitId, lease, digest, refuseFor))));
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        return Bounds.checked(() -> Bounds.check(request), () -> {
            notifications.open();
            return queues.submit(request.permit().bulkhead(), Operation.repeatable(
                    List.of(request.permit().permitId(), request.detachedId()),
                    it -> it.attach(notifications.name(), request)));
        });
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return queues.submit(bulkhead, Operation.removing(permitId, it -> it.revoke(permitId)));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return Bounds.checked(() -> Bounds.checkLimit(limit), () -> queues.submit(bulkhead,
                Operation.repeatable(List.of(), it -> {
                    it.resize(OptionalInt.of(limit));
                    return null;
                })));
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return queues.submit(bulkhead, Operation.changing(List.of(), it -> it.resize(OptionalInt.empty())));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return Bounds.checked(() -> Bounds.checkListed(most), () -> look(bulkhead, stored -> stored.occupancy(most)));
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return look(bulkhead, stored -> stored.bulkhead().ownPermits(notifications.name()));
    }

    private <T> CompletionStage<T> look(BulkheadId bulkhead, Function<StoredBulkhead, T> question) {
        return connections.send(new LookCall<>(names(bulkhead), settings, question)).thenApply(RedisAnswer::value);
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return scan.inUse(most, connections::send);
    }

    /** How many bulkheads there is something to do for. */
    int busy() {
        return queues.size();
    }
}
