package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology.Connection;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Keeps shares in Redis: the way there, messages, and what is made of failures. The {@link Steps} are those of a script, or of
 * a lock where there are no scripts.
 * <p>
 * Nothing is sent twice: after a failure, the instance states its position again. Only a call that certainly did nothing goes
 * on within the same request.
 */
public final class RedisShareStore implements ShareStore, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisShareStore.class);

    private static final BulkheadId WARM_UP = BulkheadId.of("warm-up");

    private static final int KEYS_PER_SCAN = 1_000;
    private static final int MOST_SCANS = 100;

    /** Bulkheads with long keys whose messages can be assigned. */
    private static final int MOST_REMEMBERED = 10_000;

    /** A bulkhead is refused for good after so many failures at least: a pause of this instance makes one. */
    private static final int FEWEST_FAILURES = 4;

    /** Failures that are further apart do not belong together. */
    private static final long FAILURES_TOGETHER_MILLIS = 3_000;

    private static final long REMEMBERED_NANOS = TimeUnit.MILLISECONDS.toNanos(DECLARED_MILLIS + 1_000);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(24);

    private final Topology topology;
    private final Steps steps;
    private final Duration contentionTimeout;
    private final String instance = UUID.randomUUID().toString();
    private final Inbox inbox;
    /** The bulkheads whose keys hold a digest, by the key of their shares. */
    private final Map<String, BulkheadId> longKeys = new ConcurrentHashMap<>();
    private final Map<BulkheadId, Failing> failing = new ConcurrentHashMap<>();
    private volatile List<OperationListener> observers = List.of();
    private volatile long ownLimitsSinceNanos = System.nanoTime() - REMEMBERED_NANOS;

    /** A bulkhead whose requests have failed for transient reasons only. */
    private record Failing(long sinceNanos, int times) {
    }

    /** How operations are carried out. */
    interface Steps {

        /**
         * Carries out an operation.
         *
         * @param args the arguments of {@code share.lua}
         * @param reply reads what the script replies
         * @param machine does the same without the script
         */
        <T> Future<T> step(BulkheadKeys keys, Connection connection, List<String> args, Function<Response, T> reply,
                Function<ShareMachine, T> machine);
    }

    /**
     * The store with scripts. Opens nothing yet.
     *
     * @param topology knows where Redis is, and has pipelined connections; closed together with this store
     */
    public RedisShareStore(Topology topology) {
        this(topology, null, Duration.ZERO, true);
    }

    /**
     * The store with a lock. Opens nothing yet.
     *
     * @param topology knows where Redis is, and has connections that carry one call at a time; closed together with this store
     * @param stepTimeout the lifetime of the lock, if a process dies within a step
     * @param contentionTimeout for how long an operation tries to get the lock; then it fails with
     *        {@link Kind#CONTENDED}
     */
    public RedisShareStore(Topology topology, Duration stepTimeout, Duration contentionTimeout) {
        this(topology, stepTimeout, contentionTimeout, false);
    }

    private RedisShareStore(Topology topology, Duration stepTimeout, Duration contentionTimeout, boolean hasScripts) {
        this.topology = topology;
        this.contentionTimeout = contentionTimeout;
        this.inbox = new Inbox(topology, instance, text -> ShareCodec.message(text, this::bulkheadOf));
        this.steps = hasScripts ? new ScriptSteps() : new LockSteps(inbox.ownName(), stepTimeout);
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

    /** Sets the receivers of the duration of operations. Called once, before anything else. */
    public void observe(List<OperationListener> listeners) {
        observers = listeners;
    }

    /**
     * This instance declared other limits a moment ago, before a live reload. Redis remembers them for a minute, so until then
     * they look like those of another instance, and are left out.
     */
    public void ignoreEarlierLimits() {
        ownLimitsSinceNanos = System.nanoTime();
    }

    private boolean limitsMayBeOwn() {
        return System.nanoTime() - ownLimitsSinceNanos < REMEMBERED_NANOS;
    }

    /**
     * Connects in the background, subscribes, and makes a call that changes nothing, which loads the classes of a call and
     * teaches the server the script. What is wrong with Redis is logged then.
     */
    public void warmUp() {
        inbox.open();
        revoke(WARM_UP, "", "none", 1)
                .whenComplete((none, failure) -> LOG.debug("The warm-up call to Redis has ended", failure));
    }

    // ---- Operations

    @Override
    public void whenReady(Runnable task) {
        topology.context.runOnContext(now -> task.run());
    }

    /** Does not ask for the permission to keep idle permits while this instance cannot hear recalls. */
    @Override
    public CompletionStage<Position> sync(Statement statement) {
        boolean hears = inbox.canHear();
        String name = inbox.ownName();
        CompletionStage<Position> answer = send(Operation.SYNC, statement.bulkhead(), (keys, connection) -> {
            Statement stated = statement.to(connection.server(), connection.serverSinceMillis(), hears);
            return steps.step(keys, connection, ShareCodec.sync(name, stated),
                    reply -> withoutEarlierLimits(ShareCodec.position((List<?>) value(reply))),
                    machine -> withoutEarlierLimits(machine.sync(name, stated)));
        });
        // After the first statement, which is more urgent.
        inbox.open();
        return answer;
    }

    private Position withoutEarlierLimits(Position position) {
        return limitsMayBeOwn() ? position.withoutOtherLimit() : position;
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String from, String permitId, int permits) {
        String field = from.isEmpty() ? "h:" + permitId : "i:" + from;
        return send(Operation.REVOKE, bulkhead,
                (keys, connection) -> steps.step(keys, connection, ShareCodec.revoke(field, permits),
                        Response::toInteger, machine -> machine.revoke(field, permits)));
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return send(limit == 0 ? Operation.RESET_SIZE : Operation.RESIZE, bulkhead,
                (keys, connection) -> steps.step(keys, connection, ShareCodec.resize(limit),
                        reply -> reply.toInteger() == 1, machine -> machine.resize(limit)));
    }

    /** Without a step: nothing is changed. */
    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return send(Operation.LOOK, bulkhead, (keys, connection) -> look(keys, connection, most)
                .map(seen -> limitsMayBeOwn() ? seen.withoutDeclaredLimits() : seen));
    }

    static Future<ShareOverview> look(BulkheadKeys keys, Connection connection, int most) {
        Future<Response> time = connection.send(Request.cmd(Command.TIME));
        return connection.send(Request.cmd(Command.HGETALL).arg(keys.shares())).compose(fields -> time.map(
                now -> new ShareMachine(keys.bulkhead(), LockSteps.fields(fields), new TreeMap<>(), LockSteps.micros(now), "")
                        .look(most)));
    }

    // ---- Bulkheads in use

    /**
     * Goes through the keys of the server, so that nothing has to be written for this when permits are taken. Incomplete in a
     * cluster, where the user may not scan, and where there are too many keys.
     */
    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        // One connection to a Redis Cluster does not see all keys.
        return observed(Operation.IN_USE, System.nanoTime(), topology.isCluster()
                ? CompletableFuture.completedStage(BulkheadsInUse.unknown(
                        "a Redis Cluster cannot list the bulkheads and keys that other instances use; only those of this "
                                + "instance are shown"))
                : scan("0", MOST_SCANS, new TreeSet<>(), most));
    }

    // Each scan is a call of its own, so that the calls of others go in between, and silence is noticed as for any other call.
    private CompletionStage<BulkheadsInUse> scan(String cursor, int scans, Set<String> found, int most) {
        Request scan = Request.cmd(Command.SCAN).arg(cursor).arg("MATCH").arg(BulkheadKeys.pattern(topology.keyPrefix))
                .arg("COUNT").arg(KEYS_PER_SCAN).arg("TYPE").arg("hash");
        return topology.send("SCAN", null, connection -> connection.send(scan).map(Optional::of).recover(
                failure -> ErrorReply.is(failure, "NOPERM")
                        ? Future.succeededFuture(Optional.empty())
                        : Future.failedFuture(failure)))
                .thenCompose(reply -> {
                    if (reply.isEmpty()) {
                        return CompletableFuture.completedStage(BulkheadsInUse.unknown("the Redis user is not allowed to "
                                + "SCAN; bulkheads and keys that other instances use are not shown. Grant the right with "
                                + "ACL SETUSER <user> +scan"));
                    }
                    reply.get().get(1).forEach(key -> found.add(key.toString(StandardCharsets.UTF_8)));
                    String next = reply.get().get(0).toString();
                    return scans > 1 && !next.equals("0") ? scan(next, scans - 1, found, most)
                            : CompletableFuture.completedStage(inUse(found, next.equals("0"), most));
                });
    }

    private BulkheadsInUse inUse(Set<String> found, boolean allSeen, int most) {
        List<BulkheadId> bulkheads = new ArrayList<>();
        Map<String, Integer> keysWithoutText = new TreeMap<>();
        for (String key : found) {
            bulkheadOf(key).ifPresentOrElse(bulkheads::add, () -> BulkheadKeys.nameOfDigest(topology.keyPrefix, key)
                    .ifPresent(name -> keysWithoutText.merge(name, 1, Integer::sum)));
        }
        Optional<String> incomplete = !allSeen ? Optional.of("Redis has too many keys to scan all of them")
                : bulkheads.size() > most ? Optional.of("only the first " + most + " of " + bulkheads.size() + " are shown")
                        : Optional.empty();
        return new BulkheadsInUse(bulkheads.stream().sorted().limit(most).toList(), keysWithoutText, incomplete);
    }

    // ---- Sending

    private <T> CompletionStage<T> send(Operation operation, BulkheadId bulkhead,
            BiFunction<BulkheadKeys, Connection, Future<T>> call) {
        BulkheadKeys keys = new BulkheadKeys(topology.keyPrefix, bulkhead);
        if (keys.isDigest()) {
            if (longKeys.size() >= MOST_REMEMBERED) {
                // Those in use return with the next statement.
                longKeys.clear();
            }
            longKeys.put(keys.shares(), bulkhead);
        }
        long begunNanos = System.nanoTime();
        return observed(operation, begunNanos, attempt(keys, connection -> call.apply(keys, connection), begunNanos, null));
    }

    private <T> CompletionStage<T> observed(Operation operation, long begunNanos, CompletionStage<T> answer) {
        for (OperationListener observer : observers) {
            answer.whenComplete((value, failure) -> {
                try {
                    observer.done(operation, Duration.ofNanos(System.nanoTime() - begunNanos), Failures.cause(failure));
                } catch (RuntimeException | LinkageError e) {
                    LOG.errorf(e, "%s failed. %s", observer.getClass().getName(), LogMessage.UNEXPECTED);
                }
            });
        }
        return answer;
    }

    // The lock is tried again, as in the book. Each attempt is a call, so that others can use the connection during the pauses.
    private <T> CompletionStage<T> attempt(BulkheadKeys keys, Function<Connection, Future<T>> call, long begunNanos,
            Backoff pauses) {
        return topology.send(keys.shown() + "*", keys.toString(), call).thenApply(answer -> {
            failing.remove(keys.bulkhead());
            return answer;
        }).exceptionallyCompose(failure -> {
            if (!StoreException.is(failure, Kind.CONTENDED)) {
                return CompletableFuture.failedStage(judged(keys, Failures.cause(failure)));
            }
            failing.remove(keys.bulkhead());
            if (System.nanoTime() - begunNanos >= contentionTimeout.toNanos()) {
                return CompletableFuture.failedStage(new StoreException(Kind.CONTENDED,
                        "This bulkhead could not be locked for " + contentionTimeout.toMillis()
                                + " ms, because other instances held its lock (" + keys.shown()
                                + "lock) or too many calls of this instance waited for a connection. Permits may have been "
                                + "free. Increase quarkus.redis-bulkhead.lock-store.contention-timeout, or let calls wait "
                                + "longer"));
            }
            Backoff next = pauses == null ? new Backoff(SHORTEST_PAUSE, LONGEST_PAUSE) : pauses;
            CompletableFuture<Void> pause = new CompletableFuture<>();
            topology.vertx.setTimer(Math.max(1, next.next().toMillis()), timer -> pause.complete(null));
            return pause.thenCompose(over -> attempt(keys, call, begunNanos, next));
        });
    }

    private Optional<BulkheadId> bulkheadOf(String key) {
        return BulkheadKeys.idOf(topology.keyPrefix, key).or(() -> Optional.ofNullable(longKeys.get(key)));
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
        Failing known = failing.compute(keys.bulkhead(), (bulkhead, before) -> before == null ? new Failing(now, 1)
                : new Failing(before.sinceNanos, before.times + 1));
        // Unless there is another failure until then.
        topology.after(FAILURES_TOGETHER_MILLIS, () -> failing.remove(keys.bulkhead(), known));
        boolean isShort = now - known.sinceNanos < TimeUnit.MILLISECONDS.toNanos(topology.timeoutMillis);
        return known.times < FEWEST_FAILURES || isShort ? failure
                : new StoreException(Kind.AWAY, "Redis has not carried out a command for " + keys.shown() + "* for "
                        + topology.timeoutMillis + " ms (quarkus.redis-bulkhead.command-timeout). Last error: "
                        + failure.getMessage());
    }

    /** The values of a reply: {@code Long}, {@code String}, or a list of such. */
    static Object value(Response reply) {
        return switch (reply.type()) {
            case NUMBER -> reply.toLong();
            case MULTI -> reply.stream().map(RedisShareStore::value).toList();
            default -> reply.toString();
        };
    }

    /** Ends the subscription and closes the connections. */
    @Override
    public void close() {
        inbox.close();
        topology.close();
    }
}
