package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

/**
 * Keeps shares in Redis. What the stores with and without scripts have in common: the way there, messages, and what is made of
 * failures.
 * <p>
 * Nothing is sent twice: after a failure, the instance states its position again. Only a call that certainly did nothing goes
 * on within the same
 * request.
 */
public abstract class RedisShareStore implements ShareStore, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisShareStore.class);

    /** Bulkheads with long keys whose messages can be assigned. */
    private static final int MOST_LONG_KEYS = 10_000;
    /** Bulkheads that fail at present. */
    private static final int MOST_FAILING = 10_000;
    /** A bulkhead is refused for good after so many failures at least: a pause of this process makes one. */
    private static final int FEWEST_FAILURES = 4;
    /** Failures that are further apart do not belong together. */
    private static final Duration FAILURES_TOGETHER = Duration.ofSeconds(3);

    private final Topology topology;
    private final String instance;
    private final Inbox inbox;
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
    protected RedisShareStore(Topology topology) {
        this.topology = topology;
        this.instance = UUID.randomUUID().toString();
        this.inbox = new Inbox(topology, instance, text -> ShareCodec.message(text, this::bulkheadOf));
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

    /** What distinguishes this instance from all others: letters, digits and {@code -}. */
    public String instance() {
        return instance;
    }

    /** The messages to this instance, and requests to others. */
    public Inbox inbox() {
        return inbox;
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        inbox.listen(messages);
    }

    /** Sets the receiver of events of connections and outages. Called once, before anything else. */
    public void listen(ConnectionListener listener) {
        topology.listen(listener);
    }

    /**
     * Connects in the background, subscribes, and makes calls that change nothing, which load the classes of a call and teach
     * the
     * server the script. What is wrong with Redis is logged then.
     */
    public void warmUp() {
        topology.warmUp();
        inbox.open();
        look(BulkheadId.of("warm-up"), 1)
                .thenCompose(nothing -> revoke(BulkheadId.of("warm-up"), "", "none", 1))
                .whenComplete((none, failure) -> LOG.debug("The warm-up call to Redis has ended", failure));
    }

    // ---- Operations

    @Override
    public final void whenReady(Runnable task) {
        topology.context().runOnContext(now -> task.run());
    }

    /** Does not ask for the permission to keep idle permits while this instance cannot hear recalls. */
    @Override
    public final CompletionStage<Position> sync(Statement statement) {
        boolean hears = inbox.canHear();
        CompletionStage<Position> answer = send(keys(statement.bulkhead()), (keys, connection) -> sync(keys, connection,
                over(connection, statement, hears)));
        // After the first statement, which is more urgent.
        inbox.open();
        return answer;
    }

    private static Statement over(ServerCall.Connection connection, Statement it, boolean hears) {
        return new Statement(it.bulkhead(), it.number(), it.epoch(), it.granted(), it.returned(), it.revoked(),
                it.leaseMillis(), it.limit(), it.keeps(), it.wantsToKeep() && hears, it.needs(), it.immediate(),
                it.highestToken(), it.tokens(), connection.server(), connection.serverSinceMillis(), it.holds(), it.attaches());
    }

    @Override
    public final CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return send(keys(bulkhead), (keys, connection) -> revoke(keys, connection, instance, permitId, permits));
    }

    @Override
    public final CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return send(keys(bulkhead), (keys, connection) -> resize(keys, connection, limit));
    }

    @Override
    public final CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return send(keys(bulkhead), (keys, connection) -> look(keys, connection, most));
    }

    /** Incomplete in a cluster, where the user may not scan, and where there are too many keys. */
    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most, Set<BulkheadId> known) {
        return new BulkheadScan(topology).inUse(most, known);
    }

    // ---- What differs

    /**
     * A call over one connection.
     *
     * @param <T> the answer
     */
    @FunctionalInterface
    protected interface Call<T> {

        /** Makes it. */
        Future<T> over(BulkheadKeys keys, ServerCall.Connection connection);
    }

    /** States the position of this instance. */
    protected abstract Future<Position> sync(BulkheadKeys keys, ServerCall.Connection connection, Statement statement);

    /** See {@link ShareStore#revoke}. */
    protected abstract Future<Integer> revoke(BulkheadKeys keys, ServerCall.Connection connection, String instance,
            String permitId, int permits);

    /** See {@link ShareStore#resize}. */
    protected abstract Future<Boolean> resize(BulkheadKeys keys, ServerCall.Connection connection, int limit);

    /** See {@link ShareStore#look}. */
    protected abstract Future<ShareOverview> look(BulkheadKeys keys, ServerCall.Connection connection, int most);

    // ---- Sending

    private BulkheadKeys keys(BulkheadId bulkhead) {
        BulkheadKeys keys = new BulkheadKeys(topology.keyPrefix(), bulkhead);
        if (bulkhead.key().isPresent() && keys.isDigest()) {
            longKeys.put(keys.shares(), bulkhead);
        }
        return keys;
    }

    private Optional<BulkheadId> bulkheadOf(String key) {
        return BulkheadKeys.idOf(topology.keyPrefix(), key)
                .or(() -> Optional.ofNullable(longKeys.get(key)));
    }

    /** Makes a call. */
    protected <T> CompletionStage<T> send(BulkheadKeys keys, Call<T> call) {
        return topology.send(new ServerCall<>(keys.shown() + "*", keys.start(), connection -> call.over(keys, connection)))
                .handle((value, failure) -> {
                    if (failure == null) {
                        failing.remove(keys.bulkhead());
                        return CompletableFuture.completedStage(value);
                    }
                    return CompletableFuture.<T> failedStage(judged(keys, Failures.cause(failure)));
                }).thenCompose(Function.identity());
    }

    /** Runs a task after a pause of a millisecond or more. */
    protected final void after(Duration pause, Runnable task) {
        topology.vertx().setTimer(Math.max(1, pause.toMillis()), timer -> task.run());
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
                || now - before.lastNanos > FAILURES_TOGETHER.toNanos() ? new Failing(now, now, 1)
                        : new Failing(before.sinceNanos, now, before.times + 1));
        // The answer to a later request may have come before this failure, and there may be no other request.
        after(FAILURES_TOGETHER, () -> failing.remove(keys.bulkhead(), known));
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
