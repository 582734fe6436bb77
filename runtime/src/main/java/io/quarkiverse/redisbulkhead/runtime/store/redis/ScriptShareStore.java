package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.TransientStoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * Keeps shares in Redis: each operation is one step of {@code share.lua}, whose header documents keys, arguments and replies.
 * <p>
 * The idea of the counting semaphore of <em>Redis in Action</em>, section 6.3, with its sources of error taken out: time is the
 * server's and not the clients', and counting and adding are one atomic script. Unlike the book, Redis knows instances, not
 * calls, and keeps the queue of those that wait.
 * <p>
 * Nothing is sent twice: who states a position states it again. Only a call that certainly did nothing, because the server does
 * not know the script or another node has the slot, goes on within the same request.
 */
public final class ScriptShareStore implements ShareStore, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ScriptShareStore.class);

    /** Bulkheads with long keys whose messages can be assigned. */
    private static final int MOST_LONG_KEYS = 10_000;
    /** Bulkheads that fail at present. */
    private static final int MOST_FAILING = 10_000;
    /** A bulkhead is refused for good after so many failures at least: a pause of this process makes one. */
    private static final int FEWEST_FAILURES = 4;
    /** Failures that are further apart do not belong together. */
    private static final long FAILURES_TOGETHER_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Topology topology;
    private final Inbox inbox;
    private final LuaScript script = LuaScript.of("share");
    /** The bulkheads whose keys hold a digest, by the key of their shares. */
    private final Map<String, BulkheadId> longKeys = Collections.synchronizedMap(bounded(MOST_LONG_KEYS));
    private final Map<BulkheadId, Failing> failing = Collections.synchronizedMap(bounded(MOST_FAILING));

    /** A bulkhead whose requests have failed for transient reasons only. */
    private record Failing(long sinceNanos, long lastNanos, int times) {
    }

    /**
     * Opens nothing yet.
     *
     * @param topology knows where Redis is; closed together with this store
     */
    public ScriptShareStore(Topology topology) {
        this.topology = topology;
        this.inbox = new Inbox(topology, UUID.randomUUID().toString(), text -> ShareCodec.message(text, this::bulkheadOf));
    }

    private static <K, V> Map<K, V> bounded(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {

            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }

    /** The messages to this instance, and requests to others. */
    public Inbox inbox() {
        return inbox;
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        inbox.listen(messages);
    }

    /** Sets who hears of connections and outages. Called once, before anything else. */
    public void listen(ConnectionListener listener) {
        topology.listen(listener);
    }

    /**
     * Connects in the background, subscribes, and makes a call that changes nothing, which loads the script and the classes of a
     * call. What is wrong with Redis is logged then.
     */
    public void warmUp() {
        topology.warmUp();
        inbox.open();
        look(BulkheadId.of("warm-up"), 1)
                .thenCompose(nothing -> revoke(BulkheadId.of("warm-up"), "", "none", 1))
                .whenComplete((none, failure) -> LOG.debug("The warm-up call to Redis has ended", failure));
    }

    // ---- Operations

    /** An instance that cannot hear recalls may not keep idle permits, whatever the store says. */
    @Override
    public CompletionStage<Position> sync(Statement statement) {
        boolean hears = inbox.canHear();
        BulkheadKeys keys = keys(statement.bulkhead());
        CompletionStage<Position> answer = send(keys, connection -> {
            Statement sent = over(connection, statement, hears);
            return run(keys, ShareCodec.sync(inbox.channel(), sent), connection);
        }, reply -> {
            Position position = ShareCodec.position(reply.toString());
            return hears ? position : withoutKeeping(position);
        });
        // After the first statement, which is more urgent.
        inbox.open();
        return answer;
    }

    private static Statement over(ServerCall.Connection connection, Statement it, boolean hears) {
        return new Statement(it.bulkhead(), it.number(), it.epoch(), it.granted(), it.returned(), it.revoked(),
                it.leaseMillis(), it.limit(), it.keeps(), it.wantsToKeep() && hears, it.needs(), it.immediate(),
                it.highestToken(), it.tokens(), connection.server(), connection.serverSinceMillis(), it.holds(), it.attaches());
    }

    private static Position withoutKeeping(Position it) {
        return new Position(it.number(), it.epoch(), it.granted(), it.admitted(), it.revoked(), it.leaseMillis(), it.limit(),
                it.ticket(), it.served(), it.othersWait(), false, it.recalled(), it.graceMillis(), it.askAgainMillis(),
                it.firstToken(), it.tokens(), it.attached(), it.otherLimits(), it.server());
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return send(bulkhead, ShareCodec.revoke(instance, permitId, permits), Response::toInteger);
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return send(bulkhead, ShareCodec.resize(limit), reply -> reply.toInteger() == 1);
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return send(bulkhead, ShareCodec.look(), reply -> {
            long micros = TimeUnit.SECONDS.toMicros(reply.get(0).toLong()) + reply.get(1).toLong();
            List<String> fields = new ArrayList<>();
            reply.get(2).forEach(each -> fields.add(each.toString()));
            return ShareCodec.overview(bulkhead, micros, fields, most);
        });
    }

    /**
     * Finds the bulkheads, and the keys of bulkheads, that have shares in any application.
     *
     * @param most how many to list
     * @return the bulkheads; incomplete in a cluster, where the user may not scan, and where there are too many keys
     */
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return new BulkheadScan(topology).inUse(most);
    }

    // ---- Sending

    private BulkheadKeys keys(BulkheadId bulkhead) {
        BulkheadKeys keys = new BulkheadKeys(topology.keyPrefix(), bulkhead);
        if (bulkhead.key().isPresent() && keys.isDigest()) {
            longKeys.put(keys.shares(), bulkhead);
        }
        return keys;
    }

    private Optional<BulkheadId> bulkheadOf(String key) {
        return BulkheadKeys.idOf(topology.keyPrefix(), BulkheadKeys.END_OF_SHARES, key)
                .or(() -> Optional.ofNullable(longKeys.get(key)));
    }

    private Future<Response> run(BulkheadKeys keys, List<byte[]> args, ServerCall.Connection connection) {
        return connection.run(script, keys.ofShares(), args);
    }

    private <T> CompletionStage<T> send(BulkheadId bulkhead, List<byte[]> args, Function<Response, T> reader) {
        BulkheadKeys keys = keys(bulkhead);
        return send(keys, connection -> run(keys, args, connection), reader);
    }

    private <T> CompletionStage<T> send(BulkheadKeys keys, Function<ServerCall.Connection, Future<Response>> work,
            Function<Response, T> reader) {
        return topology.send(new ServerCall<>(keys.shown() + "*", keys.start(),
                connection -> work.apply(connection).map(reader))).handle((value, failure) -> {
                    if (failure == null) {
                        failing.remove(keys.bulkhead());
                        return CompletableFuture.completedStage(value);
                    }
                    return CompletableFuture.<T> failedStage(judged(keys, Failures.cause(failure)));
                }).thenCompose(Function.identity());
    }

    /**
     * A server that answers other calls is not away. But if it has refused those of one bulkhead for the command timeout, for
     * example while a slot moves, then it is away for this one.
     */
    private Throwable judged(BulkheadKeys keys, Throwable failure) {
        if (!(failure instanceof TransientStoreException passing)) {
            failing.remove(keys.bulkhead());
            return failure;
        }
        long now = System.nanoTime();
        Failing known = failing.compute(keys.bulkhead(), (bulkhead, before) -> before == null
                || now - before.lastNanos > FAILURES_TOGETHER_NANOS ? new Failing(now, now, 1)
                        : new Failing(before.sinceNanos, now, before.times + 1));
        return known.times < FEWEST_FAILURES
                || now - known.sinceNanos < TimeUnit.MILLISECONDS.toNanos(topology.timeoutMillis())
                        ? passing
                        : new StoreAwayException("Redis has not carried out a command for " + keys.shown() + "* for "
                                + topology.timeoutMillis() + " ms (quarkus.redis-bulkhead.command-timeout). Last error: "
                                + passing.getMessage(), passing.outcomeUnknown(), passing.getCause());
    }

    /** Ends the subscription and closes the connections. */
    @Override
    public void close() {
        inbox.close();
        topology.close();
    }
}
