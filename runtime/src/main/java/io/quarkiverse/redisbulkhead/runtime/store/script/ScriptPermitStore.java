package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Bounds;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.LimitsDiffer;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadScan;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisAnswer;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.script.AcquireCall.Acquired;
import io.quarkiverse.redisbulkhead.runtime.store.script.AcquireCall.Outcome;
import io.vertx.redis.client.Response;

/**
 * Keeps permits in Redis; each operation is one step of a Lua script. While a command of a bulkhead is on its way, acquires,
 * releases, cancellations and renewals of that bulkhead gather, and go together in the next one, as in {@code batch.lua}. The
 * scripts lie beside this class as resources; the layout of the keys is told in the header of {@code keys.lua}.
 * <p>
 * The algorithm is the fair counting semaphore of <em>Redis in Action</em>, section 6.3, with its sources of error
 * taken out: time is the server's ({@code TIME}) and not the clients', counting and adding are one atomic script, and
 * the score of a holder is the end of its lease, so that holders with different leases do not shorten one another's. To
 * it come waiters, which the book leaves to the callers: a release hands the permit to the first of them in the same
 * step.
 */
public final class ScriptPermitStore implements PermitStore {

    private final RedisConnectionManager connections;
    private final NotificationSubscriber notifications;
    private final Scripts scripts;
    private final BatchScript batch;
    private final OwnerTexts owners = new OwnerTexts();
    private final BulkheadScan scan;

    /** All scripts. Tests put a clock of their own into them. */
    private record Scripts(LuaScript batch, LuaScript poll, LuaScript revoke, LuaScript resize, LuaScript occupancy,
            LuaScript own) {

        private static Scripts load(UnaryOperator<LuaScript> change) {
            return new Scripts(change.apply(LuaScript.batch()), change.apply(LuaScript.of("poll")),
                    change.apply(LuaScript.of("revoke")), change.apply(LuaScript.of("resize")),
                    change.apply(LuaScript.of("occupancy")), change.apply(LuaScript.of("own")));
        }
    }

    /**
     * Creates the store.
     *
     * @param connections to Redis
     * @param notifications hears what becomes of the waiters and holders of this process; opened when a call waits
     * @param keyPrefix what all keys start with; without braces
     * @param cluster whether the connection is to a Redis Cluster
     */
    public ScriptPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications, String keyPrefix,
            boolean cluster) {
        this(connections, notifications, keyPrefix, cluster, UnaryOperator.identity());
    }

    ScriptPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications, String keyPrefix,
            boolean cluster, UnaryOperator<LuaScript> change) {
        this.connections = connections;
        this.notifications = notifications;
        this.scripts = Scripts.load(change);
        this.batch = new BatchScript(scripts.batch(), keyPrefix);
        this.scan = new BulkheadScan(keyPrefix, cluster);
    }

    @Override
    public void listen(Consumer<Notice> listener) {
        notifications.listen(listener);
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return Bounds.checked(() -> Bounds.check(request), () -> ask(request));
    }

    private CompletionStage<AcquireReply> ask(AcquireRequest request) {
        String owner = owners.text(notifications.name(), request.application(), request.instance(), request.method());
        return connections.send(new AcquireCall(batch, request, owner)).thenApply(answer -> {
            Acquired acquired = answer.value();
            if (acquired.outcome() == Outcome.WAITING) {
                notifications.open();
            }
            if (!acquired.otherLimits().isEmpty()) {
                notifications.tell(new LimitsDiffer(request.bulkhead(), request.limit(), acquired.otherLimits()));
            }
            return reply(acquired, answer.repeated());
        });
    }

    private static AcquireReply reply(Acquired acquired, boolean repeated) {
        return switch (acquired.outcome()) {
            case GRANTED -> new AcquireReply.Granted(acquired.ticket(), repeated);
            case FULL -> new AcquireReply.Full(acquired.limit(), acquired.nearestLeaseEnd(), repeated);
            case WAITING -> new AcquireReply.Waiting(acquired.limit(), acquired.nearestLeaseEnd(), acquired.storeMillis(),
                    acquired.ticket(), repeated);
            case CANCELLED -> new AcquireReply.Cancelled();
        };
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        return Bounds.checked(() -> Bounds.checkId(permitId),
                () -> connections.send(new ReleaseCall(batch, bulkhead, permitId))
                        .thenApply(answer -> answer.value() || answer.repeated()));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return Bounds.checked(() -> Bounds.check(permitIds),
                () -> connections.send(new CancelCall(batch, bulkhead, permitIds, forgetAfter)).thenApply(answer -> null));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        return Bounds.checked(() -> Bounds.checkLeases(leases), () -> {
            // A permit that is held for so long may be revoked.
            notifications.open();
            return connections.send(new RenewCall(batch, bulkhead, leases)).thenApply(RedisAnswer::value);
        });
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        return Bounds.checked(() -> {
            Bounds.checkLimit(limit);
            Bounds.checkPolled(permitIds, place);
        }, () -> {
            List<byte[]> args = new ArrayList<>();
            args.add(bytes(limit));
            permitIds.forEach(id -> {
                args.add(bytes(id));
                args.add(bytes(Math.max(1, place.toMillis())));
            });
            notifications.check(false);
            return call(scripts.poll(), bulkhead, args).thenApply(answer -> {
                PollReply reply = Replies.poll(answer.value());
                if (!reply.handedOver().isEmpty()) {
                    // A message should have told of them.
                    notifications.check(true);
                }
                return reply;
            });
        });
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return call(scripts.revoke(), bulkhead, bytes(permitId))
                .thenApply(answer -> answer.value().toInteger() == 1 || answer.repeated());
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return Bounds.checked(() -> Bounds.checkLimit(limit),
                () -> call(scripts.resize(), bulkhead, bytes(limit)).thenApply(answer -> null));
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return call(scripts.resize(), bulkhead, bytes(0))
                .thenApply(answer -> answer.value().toInteger() == 1 || answer.repeated());
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return Bounds.checked(() -> Bounds.checkListed(most), () -> call(scripts.occupancy(), bulkhead, bytes(most))
                .thenApply(answer -> Replies.occupancy(bulkhead, answer.value())));
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return ownPermits(bulkhead, 0, new HashSet<>());
    }

    // In steps, so that the calls of others go in between.
    private CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead, int lookedAt, Set<String> found) {
        return call(scripts.own(), bulkhead, bytes(notifications.name()), bytes(lookedAt), bytes(HOLDERS_PER_STEP))
                .thenCompose(answer -> {
                    Response reply = answer.value();
                    for (int i = 1; i < reply.size(); i++) {
                        found.add(reply.get(i).toString());
                    }
                    return reply.get(0).toInteger() < HOLDERS_PER_STEP ? CompletableFuture.completedStage(found)
                            : ownPermits(bulkhead, lookedAt + HOLDERS_PER_STEP, found);
                });
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return scan.inUse(most, connections::send);
    }

    private CompletionStage<RedisAnswer<Response>> call(LuaScript script, BulkheadId bulkhead, byte[]... args) {
        return call(script, bulkhead, List.of(args));
    }

    private CompletionStage<RedisAnswer<Response>> call(LuaScript script, BulkheadId bulkhead, List<byte[]> args) {
        return connections.send(new ScriptCall(script, batch.keys(bulkhead), args));
    }

    private static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
