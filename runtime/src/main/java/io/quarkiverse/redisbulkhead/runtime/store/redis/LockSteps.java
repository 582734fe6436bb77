package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology.Connection;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Steps without scripts: the counting semaphore that is made exact by a lock, of <em>Redis in Action</em>, section 6.3.4, with
 * its sources of error taken out. Time is the server's, a transaction makes the step exact however long its process was paused,
 * and not getting the lock is not taken for a full bulkhead. The data is that of {@link ScriptSteps}, so applications with
 * either can share a bulkhead. A step reads all of it, so its cost grows with the instances.
 * <p>
 * Each operation is one step in two round trips: take the lock ({@code SET NX PX}), watch it and the data ({@code WATCH}), and
 * read the data and the clock of the server; then write all changes and release the lock in one transaction ({@code MULTI},
 * {@code EXEC}).
 * <p>
 * The lock only saves others failed transactions. The transaction makes the step exact: it fails when the lock has ended or
 * changed hands, or any of the data has changed, since it was read. So a process that was paused for longer than the lock lives
 * changes nothing, and one that dies leaves nothing but a lock that expires.
 * <p>
 * The lock is in the name of the instance, so that an instance whose connection was lost during a step does not wait for its
 * own lock. Of two steps of one instance at a time, the transaction of the later one fails.
 */
final class LockSteps implements RedisShareStore.Steps {

    private static final Logger LOG = Logger.getLogger(LockSteps.class);

    private final String instance;
    private final Duration timeout;

    /**
     * @param instance the name of this instance
     * @param timeout how long the lock lives
     */
    LockSteps(String instance, Duration timeout) {
        this.instance = instance;
        this.timeout = timeout;
    }

    /**
     * Fails with {@link Kind#CONTENDED} when another step has the lock, or was faster. The connection carries no other call.
     */
    @Override
    public <T> Future<T> step(BulkheadKeys keys, Connection connection, List<String> args, Function<Response, T> reply,
            Function<ShareMachine, T> machine) {
        // A proxy can hide a failover.
        Future<String> server = connection.send(ServerConnection.info()).map(ServerConnection::runId).otherwise("");
        return sendAll(connection, List.of(
                Request.cmd(Command.SET).arg(keys.lock()).arg(instance).arg("NX").arg("PX").arg(timeout.toMillis()),
                Request.cmd(Command.WATCH).arg(keys.lock()).arg(keys.shares()).arg(keys.waiting()),
                lockOwner(keys),
                Request.cmd(Command.TIME),
                Request.cmd(Command.HGETALL).arg(keys.shares()),
                Request.cmd(Command.ZRANGE).arg(keys.waiting()).arg(0).arg(-1).arg("WITHSCORES")))
                .compose(replies -> isOwn(replies.get(2))
                        ? server.compose(id -> write(keys, connection, replies, id, machine))
                        : connection.send(Request.cmd(Command.UNWATCH)).transform(done -> contended(keys)))
                .recover(failure -> StoreException.is(failure, Kind.CONTENDED) ? Future.failedFuture(failure)
                        : giveUp(keys, connection).transform(done -> Future.failedFuture(failure)));
    }

    private static Request lockOwner(BulkheadKeys keys) {
        return Request.cmd(Command.GET).arg(keys.lock());
    }

    private boolean isOwn(Response owner) {
        return owner != null && owner.toString().equals(instance);
    }

    private static <T> Future<T> contended(BulkheadKeys keys) {
        return Future.failedFuture(
                new StoreException(Kind.CONTENDED, "Another step holds the lock " + keys.shown() + "lock"));
    }

    private static <T> Future<T> write(BulkheadKeys keys, Connection connection, List<Response> replies, String server,
            Function<ShareMachine, T> operation) {
        Map<String, String> fields = fields(replies.get(4));
        Map<String, Long> queue = new TreeMap<>();
        pairs(replies.get(5), (member, score) -> queue.put(member.toString(), score.toDouble().longValue()));
        Map<String, String> newFields = new TreeMap<>(fields);
        Map<String, Long> newQueue = new TreeMap<>(queue);
        ShareMachine machine = new ShareMachine(keys.bulkhead(), newFields, newQueue, micros(replies.get(3)), server);
        T result = operation.apply(machine);
        // What is put comes before what is removed, so that no key is emptied in between and loses its time to live.
        List<Request> commands = new ArrayList<>();
        commands.add(Request.cmd(Command.MULTI));
        add(Request.cmd(Command.HSET).arg(keys.shares()),
                names(newFields, name -> !newFields.get(name).equals(fields.get(name))),
                (put, field) -> put.arg(field).arg(newFields.get(field)), commands);
        add(Request.cmd(Command.ZADD).arg(keys.waiting()), names(newQueue, name -> !newQueue.get(name).equals(queue.get(name))),
                (put, member) -> put.arg(newQueue.get(member)).arg(member), commands);
        add(Request.cmd(Command.HDEL).arg(keys.shares()), names(fields, name -> !newFields.containsKey(name)), Request::arg,
                commands);
        add(Request.cmd(Command.ZREM).arg(keys.waiting()), names(queue, name -> !newQueue.containsKey(name)), Request::arg,
                commands);
        expire(keys.shares(), machine.expireMillis(), commands);
        expire(keys.waiting(), machine.expireQueueMillis(), commands);
        commands.add(Request.cmd(Command.DEL).arg(keys.lock()));
        commands.add(Request.cmd(Command.EXEC));
        return sendAll(connection, commands).compose(done -> {
            Response results = done.get(done.size() - 1);
            if (results == null) {
                // A watched key had changed.
                return contended(keys);
            }
            for (Response each : results) {
                if (each != null && each.type() == ResponseType.ERROR) {
                    return Future.failedFuture((Throwable) each);
                }
            }
            machine.messages().forEach(sent -> publish(keys, connection, sent));
            return Future.succeededFuture(result);
        });
    }

    /** Deletes the lock if it is still that of this instance, and ends the watch. */
    private Future<?> giveUp(BulkheadKeys keys, Connection connection) {
        return sendAll(connection, List.of(Request.cmd(Command.WATCH).arg(keys.lock()), lockOwner(keys)))
                .compose(replies -> isOwn(replies.get(1))
                        ? sendAll(connection, List.of(Request.cmd(Command.MULTI),
                                Request.cmd(Command.DEL).arg(keys.lock()), Request.cmd(Command.EXEC))).mapEmpty()
                        : connection.send(Request.cmd(Command.UNWATCH)));
    }

    // Messages may be lost, so a server that refuses them does no harm but delay.
    private static void publish(BulkheadKeys keys, Connection connection, ShareMachine.Sent sent) {
        connection.send(Request.cmd(Command.PUBLISH).arg(sent.instance()).arg(ShareCodec.text(sent.message(), keys)))
                .onFailure(failure -> LOG.debugf("Failed to publish %s: %s", sent, failure.getMessage()));
    }

    /**
     * Sends several commands in one go. Not as a batch of the client, which handles replies on several threads and may lose
     * errors.
     *
     * @return the replies in the same order, null where Redis has nothing to say; fails with the first failure
     */
    private static Future<List<Response>> sendAll(Connection connection, List<Request> commands) {
        return Future.join(commands.stream().map(connection::send).toList()).map(CompositeFuture::list);
    }

    // ---- What is read

    static long micros(Response time) {
        return TimeUnit.SECONDS.toMicros(time.get(0).toLong()) + time.get(1).toLong();
    }

    static Map<String, String> fields(Response reply) {
        Map<String, String> fields = new TreeMap<>();
        pairs(reply, (field, value) -> fields.put(field.toString(), value.toString()));
        return fields;
    }

    /** Pairs come in turn in the old version of the protocol, and as pairs in the new one. */
    private static void pairs(Response reply, BiConsumer<Response, Response> to) {
        Response first = null;
        for (Response each : reply) {
            if (each.type() == ResponseType.MULTI) {
                to.accept(each.get(0), each.get(1));
            } else if (first == null) {
                first = each;
            } else {
                to.accept(first, each);
                first = null;
            }
        }
    }

    // ---- What is written

    private static List<String> names(Map<String, ?> all, Predicate<String> which) {
        return all.keySet().stream().filter(which).toList();
    }

    /** Adds a command about these names, if there are any. */
    private static void add(Request command, List<String> names, BiConsumer<Request, String> argument,
            List<Request> commands) {
        if (!names.isEmpty()) {
            names.forEach(name -> argument.accept(command, name));
            commands.add(command);
        }
    }

    private static void expire(String key, long millis, List<Request> commands) {
        if (millis > 0) {
            commands.add(Request.cmd(Command.PEXPIRE).arg(key).arg(millis));
        }
    }
}
