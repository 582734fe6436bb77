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
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.Future;

/**
 * Keeps shares in Redis. What the stores with and without scripts have in common: the way there, messages, and what is made of
 * failures.
 * <p>
 * Nothing is sent twice: after a failure, the instance states its position again. Only a call that certainly did nothing goes
 * on within the same request.
 */
public abstract class RedisShareStore implements ShareStore, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisShareStore.class);

    private static final BulkheadId WARM_UP = BulkheadId.of("warm-up");

    /** Bulkheads with long keys whose messages can be assigned; and bulkheads that fail at present. */
    private static final int MOST_REMEMBERED = 10_000;

    /** A bulkhead is refused for good after so many failures at least: a pause of this instance makes one. */
    private static final int FEWEST_FAILURES = 4;

    /** Failures that are further apart do not belong together. */
    private static final Duration FAILURES_TOGETHER = Duration.ofSeconds(3);

    final Topology topology;
    private final String instance = UUID.randomUUID().toString();
    private final Inbox inbox;
    /** The bulkheads whose keys hold a digest, by the key of their shares. */
    private final Map<String, BulkheadId> longKeys = bounded();
    private final Map<BulkheadId, Failing> failing = bounded();

    /** A bulkhead whose requests have failed for transient reasons only. */
    private record Failing(long sinceNanos, long lastNanos, int times) {
    }

    RedisShareStore(Topology topology) {
        this.topology = topology;
        this.inbox = new Inbox(topology, instance, text -> ShareCodec.message(text, this::bulkheadOf));
    }

    private static <K, V> Map<K, V> bounded() {
        return Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {

            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST_REMEMBERED;
            }
        });
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
     * the server the script. What is wrong with Redis is logged then.
     */
    public void warmUp() {
        inbox.open();
        look(WARM_UP, 1).thenCompose(nothing -> revoke(WARM_UP, "", "none", 1))
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
        CompletionStage<Position> answer = send(statement.bulkhead(), (keys, connection) -> sync(keys, connection,
                statement.to(connection.server(), connection.serverSinceMillis(), hears)));
        // After the first statement, which is more urgent.
        inbox.open();
        return answer;
    }

    @Override
    public final CompletionStage<Integer> revoke(BulkheadId bulkhead, String from, String permitId, int permits) {
        return send(bulkhead, (keys, connection) -> revoke(keys, connection, from, permitId, permits));
    }

    @Override
    public final CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return send(bulkhead, (keys, connection) -> resize(keys, connection, limit));
    }

    @Override
    public final CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return send(bulkhead, (keys, connection) -> look(keys, connection, most));
    }

    /** Incomplete in a cluster, where the user may not scan, and where there are too many keys. */
    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most, Set<BulkheadId> known) {
        return new BulkheadScan(topology).inUse(most, known);
    }

    abstract Future<Position> sync(BulkheadKeys keys, Connection connection, Statement statement);

    abstract Future<Integer> revoke(BulkheadKeys keys, Connection connection, String from, String permitId, int permits);

    abstract Future<Boolean> resize(BulkheadKeys keys, Connection connection, int limit);

    abstract Future<ShareOverview> look(BulkheadKeys keys, Connection connection, int most);

    // ---- Sending

    /** An operation over one connection. */
    @FunctionalInterface
    private interface Call<T> {

        Future<T> over(BulkheadKeys keys, Connection connection);
    }

    private <T> CompletionStage<T> send(BulkheadId bulkhead, Call<T> call) {
        BulkheadKeys keys = new BulkheadKeys(topology.keyPrefix(), bulkhead);
        if (keys.isDigest()) {
            longKeys.put(keys.shares(), bulkhead);
        }
        return send(keys, connection -> call.over(keys, connection));
    }

    <T> CompletionStage<T> send(BulkheadKeys keys, Function<Connection, Future<T>> call) {
        return topology.send(keys.shown() + "*", keys.start(), call).thenApply(answer -> {
            failing.remove(keys.bulkhead());
            return answer;
        }).exceptionallyCompose(failure -> CompletableFuture.failedStage(judged(keys, Failures.cause(failure))));
    }

    private Optional<BulkheadId> bulkheadOf(String key) {
        return BulkheadKeys.idOf(topology.keyPrefix(), key).or(() -> Optional.ofNullable(longKeys.get(key)));
    }

    /**
     * A server that answers other calls is not away. But if it has refused those of one bulkhead for the command timeout, for
     * example while a slot moves, then it is away for this one.
     */
    private Throwable judged(BulkheadKeys keys, Throwable failure) {
        if (!StoreException.is(failure, Kind.TRANSIENT)) {
            failing.remove(keys.bulkhead());
            return failure;
        }
        long now = System.nanoTime();
        Failing known = failing.compute(keys.bulkhead(), (bulkhead, before) -> before == null
                || now - before.lastNanos > FAILURES_TOGETHER.toNanos() ? new Failing(now, now, 1)
                        : new Failing(before.sinceNanos, now, before.times + 1));
        // The answer to a later request may have come before this failure, and there may be no other request.
        topology.after(FAILURES_TOGETHER.toMillis(), () -> failing.remove(keys.bulkhead(), known));
        boolean isShort = now - known.sinceNanos < TimeUnit.MILLISECONDS.toNanos(topology.timeoutMillis());
        return known.times < FEWEST_FAILURES || isShort ? failure
                : new StoreException(Kind.AWAY, "Redis has not carried out a command for " + keys.shown() + "* for "
                        + topology.timeoutMillis() + " ms (quarkus.redis-bulkhead.command-timeout). Last error: "
                        + failure.getMessage());
    }

    /** Ends the subscription and closes the connections. */
    @Override
    public void close() {
        inbox.close();
        topology.close();
    }
}
