package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.lock.RemoteState.Message;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadSteps;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One step under the lock: take the lock ({@code SET NX PX}), watch it and the data ({@code WATCH}), look at the server's
 * clock and at the data, and write all changes, and give the lock back, in one transaction ({@code MULTI}, {@code EXEC}).
 * <p>
 * The lock only keeps others from working in vain. What makes the step exact is the transaction: it fails when the lock has
 * ended or changed, or any of the data has, since it was looked at. So a process that was paused for longer than the lock
 * lives changes nothing.
 * <p>
 * The step may be tried again over another connection, with the same token. A transaction that was sent over the first one
 * and is still on its way then fails, or comes first and makes the second one fail.
 */
final class LockedStep implements RedisCall<LockedStep.Result> {

    private static final Logger LOG = Logger.getLogger(LockedStep.class);

    /** How a try ended. */
    enum Progress {
        /** The changes are in force. */
        DONE,
        /** Somebody else has the lock. */
        LOCKED,
        /** The lock ended, or the data was changed, under the step. */
        OVERTAKEN
    }

    /**
     * How a try ended.
     *
     * @param notices what to tell the caller's process
     * @param fellShort whether another step should follow
     */
    record Result(Progress progress, List<Notice> notices, boolean fellShort) {

        private static Result of(Progress progress) {
            return new Result(progress, List.of(), false);
        }
    }

    private final BulkheadNames names;
    private final BulkheadKeys keys;
    private final StepSettings settings;
    private final List<Operation<?>> operations;
    private final boolean frugal;
    private final String token = UUID.randomUUID().toString();

    // Touched by one try at a time.
    private boolean lockless;
    private boolean unanswered;

    /**
     * @param names whose step it is
     * @param operations what to do, in this order
     * @param frugal whether to do without what needs memory and can be done later
     */
    LockedStep(BulkheadNames names, StepSettings settings, List<Operation<?>> operations, boolean frugal) {
        this.names = names;
        this.keys = names.keys();
        this.settings = settings;
        this.operations = new ArrayList<>(operations);
        this.frugal = frugal;
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
                "The steps of this bulkhead had no turn for " + settings.contentionTimeout().toMillis()
                        + " ms, because others held their lock (" + keys.shown()
                        + "lock) or too many wait for a connection here; "
                        + "permits may have been free. Set a longer quarkus.redis-bulkhead.lock-store.contention-timeout, or "
                        + "let calls wait longer")));
        operations.removeIf(late);
    }

    @Override
    public byte[] routingKey() {
        return keys.start();
    }

    @Override
    public String about() {
        return keys.shown() + "*";
    }

    @Override
    public Future<Result> over(RedisConnection connection) {
        if (unanswered) {
            operations.forEach(Operation::mayBeDone);
        }
        giveUpLate();
        if (operations.isEmpty()) {
            return Future.succeededFuture(Result.of(Progress.LOCKED));
        }
        return takeLock(connection).compose(owner -> isOurs(owner)
                ? step(connection).recover(failure -> failed(connection, failure))
                : Future.succeededFuture(Result.of(Progress.LOCKED)));
    }

    // What was read may make no sense because it was changed meanwhile; that is no failure.
    private Future<Result> failed(RedisConnection connection, Throwable failure) {
        boolean notUnderstood = failure instanceof RuntimeException && !(failure instanceof VertxException);
        Future<Boolean> overtaken = notUnderstood ? isOvertaken(connection) : Future.succeededFuture(false);
        return overtaken.compose(yes -> yes ? Future.succeededFuture(Result.of(Progress.OVERTAKEN))
                : giveLockBack(connection).transform(given -> Future.failedFuture(failure)));
    }

    private Future<Boolean> isOvertaken(RedisConnection connection) {
        return send(connection, List.of(Request.cmd(Command.MULTI), lockOwner(), Request.cmd(Command.EXEC)))
                .compose(Transactions::results).map(Optional::isEmpty);
    }

    @Override
    public boolean mayHaveBeenCarriedOut() {
        return unanswered || operations.stream().anyMatch(Operation::isUnknown);
    }

    /** Whose the lock is then. A server whose memory is full gives none; the step is as exact without. */
    private Future<Optional<String>> takeLock(RedisConnection connection) {
        lockless = false;
        Request set = Request.cmd(Command.SET).arg(keys.lock()).arg(token).arg("NX").arg("PX")
                .arg(settings.stepTimeout().toMillis());
        return send(connection, List.of(set, lockOwner())).map(replies -> text(replies.get(1)))
                .recover(failure -> {
                    if (ErrorReply.of(failure).filter(reply -> reply.is("OOM")).isEmpty()) {
                        return Future.failedFuture(failure);
                    }
                    lockless = true;
                    return send(connection, List.of(lockOwner())).map(replies -> text(replies.get(0)));
                });
    }

    private boolean isOurs(Optional<String> owner) {
        return owner.map(token::equals).orElse(lockless);
    }

    private Future<Result> step(RedisConnection connection) {
        AtomicReference<Optional<String>> owner = new AtomicReference<>();
        Questions first = new Questions();
        first.ask(watch());
        first.ask(lockOwner(), reply -> owner.set(text(reply)));
        return reader(connection).read(first, frugal).compose(state -> {
            if (!isOurs(owner.get())) {
                return send(connection, unwatch()).map(replies -> Result.of(Progress.LOCKED));
            }
            BulkheadSteps steps = new BulkheadSteps(state);
            operations.forEach(operation -> operation.doIn(steps));
            return write(connection, state);
        });
    }

    private StateReader reader(RedisConnection connection) {
        List<String> ids = operations.stream().flatMap(operation -> operation.ids().stream()).distinct().toList();
        int atOnce = operations.stream().mapToInt(Operation::atOnce).sum();
        return new StateReader(connection, names, ids, atOnce, settings);
    }

    /** Removes what is given back, without a transaction: a server whose memory is full refuses each. */
    private Future<Result> remove(RedisConnection connection, RemoteState state) {
        List<Request> commands = new ArrayList<>(state.changes());
        commands.addAll(unwatch());
        unanswered = true;
        return send(connection, commands).compose(replies -> {
            unanswered = false;
            return lockless ? Future.succeededFuture() : giveLockBack(connection);
        }).map(done -> Result.of(Progress.DONE));
    }

    private Future<Result> write(RedisConnection connection, RemoteState state) {
        if (frugal && state.onlyRemoves()) {
            return remove(connection, state);
        }
        List<Request> transaction = new ArrayList<>();
        transaction.add(Request.cmd(Command.MULTI));
        transaction.addAll(state.changes());
        if (!lockless) {
            transaction.add(Request.cmd(Command.DEL).arg(keys.lock()));
        }
        transaction.add(Request.cmd(Command.EXEC));
        unanswered = true;
        return send(connection, transaction).compose(replies -> {
            unanswered = false;
            return Transactions.results(replies).map(results -> {
                if (results.isEmpty()) {
                    return Result.of(Progress.OVERTAKEN);
                }
                state.messages().forEach(message -> publish(connection, message));
                return new Result(Progress.DONE, state.notices(), state.fellShort());
            });
        }, failure -> {
            // An error means that nothing was carried out.
            unanswered = ErrorReply.of(failure).isEmpty();
            return Future.failedFuture(failure);
        });
    }

    // Messages may be lost, so a server that refuses them does no harm but delay.
    private static void publish(RedisConnection connection, Message message) {
        connection.send(Request.cmd(Command.PUBLISH).arg(message.mailbox()).arg(message.text()))
                .onFailure(failure -> LOG.debugf("Not told: %s: %s", message, failure.getMessage()));
    }

    /** Deletes the lock if it is ours. */
    private Future<Void> giveLockBack(RedisConnection connection) {
        return send(connection, List.of(Request.cmd(Command.WATCH).arg(keys.lock()), lockOwner()))
                .compose(replies -> text(replies.get(1)).filter(token::equals).isPresent()
                        ? send(connection, List.of(Request.cmd(Command.MULTI), Request.cmd(Command.DEL).arg(keys.lock()),
                                Request.cmd(Command.EXEC)))
                        : send(connection, unwatch()))
                .mapEmpty();
    }

    private Future<List<Response>> send(RedisConnection connection, List<Request> commands) {
        return Pipeline.send(connection, commands);
    }

    private Request watch() {
        Request watch = Request.cmd(Command.WATCH).arg(keys.lock());
        keys.data().forEach(watch::arg);
        return watch;
    }

    // In a cluster, the key tells which node is meant.
    private List<Request> unwatch() {
        return List.of(Request.cmd(Command.UNWATCH), lockOwner());
    }

    private Request lockOwner() {
        return Request.cmd(Command.GET).arg(keys.lock());
    }

    private static Optional<String> text(Response reply) {
        return Optional.ofNullable(reply).map(Response::toString);
    }
}
