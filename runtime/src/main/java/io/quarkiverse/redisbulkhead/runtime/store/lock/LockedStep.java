package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.local.BulkheadStateMachine;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore.Settings;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One step under the lock, in three round trips: take the lock ({@code SET NX PX}); watch it and the data ({@code WATCH}), and
 * read the server's clock and the whole bulkhead; write all changes, and release the lock, in one transaction
 * ({@code MULTI}, {@code EXEC}).
 * <p>
 * The lock only saves other processes failed transactions. The transaction makes the step exact: it fails when the lock has
 * ended or changed, or any of the data has, since it was read. So a process that was paused for longer than the lock lives
 * changes nothing.
 * <p>
 * The step may be tried again over another connection, with the same token. A transaction that was sent over the first one
 * and is still in flight then fails, or comes first and makes the second one fail.
 */
final class LockedStep extends RedisCall<LockedStep.Result> {

    private static final Logger LOG = Logger.getLogger(LockedStep.class);

    /**
     * An operation of a caller on a bulkhead. It may be done more than once without harm, and its outcome counts when the
     * step that did it has come into force.
     *
     * @param <T> the answer
     */
    static final class Operation<T> {

        private final List<String> ids;
        private final Function<BulkheadStateMachine, T> action;
        private final boolean onlyRemoves;
        private final UnaryOperator<T> whenRepeated;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final long begunNanos = System.nanoTime();
        private T outcome;
        private StoreException refusal;
        private boolean alone;
        private boolean unknown;

        private Operation(List<String> ids, Function<BulkheadStateMachine, T> action, boolean onlyRemoves,
                UnaryOperator<T> whenRepeated) {
            this.ids = ids;
            this.action = action;
            this.onlyRemoves = onlyRemoves;
            this.whenRepeated = whenRepeated;
        }

        /**
         * An operation whose answer is as good when it is done again.
         *
         * @param ids the permits that it is about
         */
        static <T> Operation<T> repeatable(List<String> ids, Function<BulkheadStateMachine, T> action) {
            return new Operation<>(ids, action, false, UnaryOperator.identity());
        }

        /** An operation that answers whether it has changed something; {@code true} when it may have been done before. */
        static Operation<Boolean> changing(List<String> ids, Function<BulkheadStateMachine, Boolean> action) {
            return new Operation<>(ids, action, false, changed -> true);
        }

        /** Like {@link #changing}; it needs no memory. */
        static Operation<Boolean> removing(String id, Function<BulkheadStateMachine, Boolean> action) {
            return new Operation<>(List.of(id), action, true, changed -> true);
        }

        List<String> ids() {
            return ids;
        }

        /** Whether a server whose memory is full can do it. */
        boolean onlyRemoves() {
            return onlyRemoves;
        }

        CompletableFuture<T> answer() {
            return answer;
        }

        long begunNanos() {
            return begunNanos;
        }

        /** From now on it is done in a step of its own. */
        void separate() {
            alone = true;
        }

        boolean isAlone() {
            return alone;
        }

        /** A transaction that does it was sent and not answered. Whatever follows, it may have been done. */
        void mayBeDone() {
            unknown = true;
        }

        boolean isUnknown() {
            return unknown;
        }

        /** Does it in a step that is not in force yet. */
        void doIn(BulkheadStateMachine bulkhead) {
            refusal = null;
            try {
                T first = action.apply(bulkhead);
                outcome = unknown ? whenRepeated.apply(first) : first;
            } catch (StoreException e) {
                refusal = e;
            }
        }

        /** The step is in force. */
        void succeed() {
            if (refusal == null) {
                answer.complete(outcome);
            } else {
                fail(refusal);
            }
        }

        void fail(Throwable failure) {
            boolean saysNotDone = failure instanceof StoreException known && !known.outcomeUnknown();
            answer.completeExceptionally(
                    unknown && saysNotDone ? new StoreException(failure.getMessage(), true, failure) : failure);
        }
    }

    /** How a try ended. */
    enum Progress {
        /** The changes are in force. */
        DONE,
        /** Another process, or another step, has the lock. */
        LOCKED,
        /** The lock ended, or the data was changed, under the step. */
        OVERTAKEN,
        /** There was too much to read; some of it was dead, and is gone now. */
        CLEANED
    }

    /**
     * How a try ended.
     *
     * @param notices for the caller's process
     * @param mismatches the differing limits that the operations have found
     */
    record Result(Progress progress, List<Notice> notices, List<LimitMismatch> mismatches) {

        private static Result of(Progress progress) {
            return new Result(progress, List.of(), List.of());
        }
    }

    private final BulkheadKeys keys;
    private final Settings settings;
    private final List<Operation<?>> operations;
    private final boolean frugal;
    private final String token;

    // Touched by one try at a time.
    private boolean lockless;
    private boolean unanswered;

    /**
     * @param keys of the bulkhead
     * @param operations what to do, in this order
     * @param frugal whether to do only what needs no memory
     */
    LockedStep(BulkheadKeys keys, Settings settings, List<Operation<?>> operations, boolean frugal) {
        this(keys, settings, operations, frugal, UUID.randomUUID().toString());
    }

    private LockedStep(BulkheadKeys keys, Settings settings, List<Operation<?>> operations, boolean frugal, String token) {
        this.keys = keys;
        this.settings = settings;
        this.operations = new ArrayList<>(operations);
        this.frugal = frugal;
        this.token = token;
    }

    /** The same step, for another try. */
    LockedStep again() {
        return new LockedStep(keys, settings, operations, frugal, token);
    }

    /** What is to be done. */
    List<Operation<?>> operations() {
        return operations;
    }

    boolean isFrugal() {
        return frugal;
    }

    /** Fails the operations that have waited for too long, and leaves them out. */
    void giveUpLate() {
        long now = System.nanoTime();
        Predicate<Operation<?>> late = operation -> now - operation.begunNanos() >= settings.contentionTimeout().toNanos();
        operations.stream().filter(late).forEach(operation -> operation.fail(new StoreContendedException(
                "This bulkhead could not be locked for " + settings.contentionTimeout().toMillis()
                        + " ms, because other processes held its lock (" + keys.shown()
                        + "lock) or too many calls of this process waited for a connection. Permits may have been "
                        + "free. Increase quarkus.redis-bulkhead.lock-store.contention-timeout, or let calls wait "
                        + "longer")));
        operations.removeIf(late);
    }

    @Override
    protected byte[] routingKey() {
        return keys.start();
    }

    @Override
    protected String about() {
        return keys.shown() + "*";
    }

    @Override
    protected Future<Result> over(Connection connection) {
        if (unanswered) {
            operations.forEach(Operation::mayBeDone);
        }
        giveUpLate();
        if (operations.isEmpty()) {
            return Future.succeededFuture(Result.of(Progress.LOCKED));
        }
        return takeLock(connection).compose(replies -> isOurs(replies.get(0))
                ? step(connection, replies.subList(1, replies.size()))
                : Future.succeededFuture(Result.of(Progress.LOCKED)))
                .recover(failure -> failed(connection, failure));
    }

    // What was read may make no sense because it was changed meanwhile; that is no failure.
    private Future<Result> failed(Connection connection, Throwable failure) {
        boolean notUnderstood = failure instanceof RuntimeException && !(failure instanceof VertxException);
        Future<Boolean> overtaken = notUnderstood ? isOvertaken(connection) : Future.succeededFuture(false);
        return overtaken.compose(yes -> yes ? Future.succeededFuture(Result.of(Progress.OVERTAKEN))
                : releaseLock(connection).transform(given -> Future.failedFuture(failure)));
    }

    private Future<Boolean> isOvertaken(Connection connection) {
        return connection.transaction(List.of(lockOwner())).map(Optional::isEmpty);
    }

    @Override
    protected boolean mayHaveBeenCarriedOut() {
        return super.mayHaveBeenCarriedOut() || unanswered || operations.stream().anyMatch(Operation::isUnknown);
    }

    /**
     * Tells whose the lock is then, and the sizes of the sets. A server whose memory is full gives no lock; the step is as
     * exact without.
     */
    private Future<List<Response>> takeLock(Connection connection) {
        lockless = false;
        List<Request> looks = new ArrayList<>(List.of(lockOwner()));
        looks.addAll(StoredBulkhead.sizes(keys));
        List<Request> commands = new ArrayList<>(List.of(Request.cmd(Command.SET).arg(keys.lock()).arg(token).arg("NX")
                .arg("PX").arg(settings.stepTimeout().toMillis())));
        commands.addAll(looks);
        return connection.sendAll(commands).map(replies -> replies.subList(1, replies.size())).recover(failure -> {
            if (ErrorReply.of(failure).filter(reply -> reply.is("OOM")).isEmpty()) {
                return Future.failedFuture(failure);
            }
            lockless = true;
            return connection.sendAll(looks);
        });
    }

    private boolean isOurs(Response owner) {
        return owner == null ? lockless : owner.toString().equals(token);
    }

    private Future<Result> step(Connection connection, List<Response> sizes) {
        List<String> ids = operations.stream().flatMap(operation -> operation.ids().stream()).distinct().toList();
        boolean[] isOurs = new boolean[1];
        return StoredBulkhead.read(keys, settings, ids, sizes, reads -> {
            List<Request> commands = new ArrayList<>(List.of(watch(), lockOwner()));
            commands.addAll(reads);
            return connection.sendAll(commands).map(replies -> {
                isOurs[0] = isOurs(replies.get(1));
                return replies.subList(2, replies.size());
            });
        }, connection).compose(stored -> {
            if (!isOurs[0]) {
                return connection.sendAll(unwatch()).map(replies -> Result.of(Progress.LOCKED));
            }
            return write(connection, stored, apply(stored));
        });
    }

    private Progress apply(StoredBulkhead stored) {
        BulkheadStateMachine bulkhead = stored.bulkhead();
        if (!stored.isWhole() && !frugal && bulkhead.removeDead()) {
            return Progress.CLEANED;
        }
        if (!stored.isWhole() || frugal) {
            bulkhead.restrict();
        }
        operations.forEach(operation -> operation.doIn(bulkhead));
        return Progress.DONE;
    }

    private Future<Result> write(Connection connection, StoredBulkhead stored, Progress progress) {
        List<Request> commands = stored.changes();
        if (frugal) {
            return remove(connection, commands);
        }
        if (!lockless) {
            commands.add(Request.cmd(Command.DEL).arg(keys.lock()));
        }
        unanswered = true;
        return connection.transaction(commands).compose(results -> {
            unanswered = false;
            return Future.succeededFuture(
                    results.isEmpty() ? Result.of(Progress.OVERTAKEN)
                            : new Result(progress, publishMessages(connection, stored),
                                    stored.bulkhead().takeLimitMismatches()));
        }, failure -> {
            // An error means that nothing was carried out.
            unanswered = ErrorReply.of(failure).isEmpty();
            return Future.failedFuture(failure);
        });
    }

    /** Removes released permits without a transaction, which a server without free memory refuses. */
    private Future<Result> remove(Connection connection, List<Request> removals) {
        List<Request> commands = new ArrayList<>(removals);
        commands.addAll(unwatch());
        unanswered = true;
        return connection.sendAll(commands).compose(replies -> {
            unanswered = false;
            return lockless ? Future.succeededFuture() : releaseLock(connection);
        }).map(done -> Result.of(Progress.DONE));
    }

    /** Publishes the messages to other processes, and returns those to this one. */
    private List<Notice> publishMessages(Connection connection, StoredBulkhead stored) {
        List<Notice> own = new ArrayList<>();
        for (BulkheadStateMachine.Message message : stored.bulkhead().takeMessages()) {
            if (message.process().equals(settings.process())) {
                own.add(message.notice());
            } else {
                publish(connection, message);
            }
        }
        return own;
    }

    // Messages may be lost, so a server that refuses them does no harm but delay.
    private static void publish(Connection connection, BulkheadStateMachine.Message message) {
        connection
                .send(Request.cmd(Command.PUBLISH).arg(message.process()).arg(NotificationSubscriber.message(message.notice())))
                .onFailure(failure -> LOG.debugf("Failed to publish %s: %s", message, failure.getMessage()));
    }

    /** Deletes the lock if it is ours. */
    private Future<Void> releaseLock(Connection connection) {
        return connection.sendAll(List.of(Request.cmd(Command.WATCH).arg(keys.lock()), lockOwner()))
                .compose(replies -> replies.get(1) != null && replies.get(1).toString().equals(token)
                        ? connection.transaction(List.of(Request.cmd(Command.DEL).arg(keys.lock()))).mapEmpty()
                        : connection.sendAll(unwatch()).mapEmpty());
    }

    private Request watch() {
        Request watch = Request.cmd(Command.WATCH).arg(keys.lock());
        keys.data().forEach(watch::arg);
        return watch;
    }

    // In a cluster, the key selects the node.
    private List<Request> unwatch() {
        return List.of(Request.cmd(Command.UNWATCH), lockOwner());
    }

    private Request lockOwner() {
        return Request.cmd(Command.GET).arg(keys.lock());
    }
}
