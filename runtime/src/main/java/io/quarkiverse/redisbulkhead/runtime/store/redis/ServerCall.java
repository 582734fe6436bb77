package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * A call to Redis, from {@link Topology#send} until it is answered or has failed: one command, or several over one connection
 * that depend on each other. Carried out once, unless the server certainly did nothing and named another one.
 *
 * @param <T> the result
 */
public final class ServerCall<T> {

    /** A connection as calls see it. Other calls may use it at the same time. */
    public interface Connection extends Commands {

        /**
         * Runs a script by its digest, or by its text where the server does not know the digest: after its first start, a
         * restart, a failover or {@code SCRIPT FLUSH}. The text also teaches the server the digest.
         */
        Future<Response> run(LuaScript script, List<byte[]> keys, List<byte[]> args);

        /** The run id of the server when the connection was opened; empty if unknown. */
        String server();

        /** Asks for the run id of the server, because a proxy can hide a failover; empty if unknown. */
        Future<String> currentServer();

        /**
         * For how long this instance has known that this run of a server has the data, after another one had it; -1 if it has
         * known no other.
         */
        long serverSinceMillis();
    }

    private final String about;
    private final byte[] routingKey;
    private final boolean logsRefusal;
    private final Function<Connection, Future<T>> work;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** How often a node of a cluster named another one. */
    int redirects;
    /** Whether each command is preceded by {@code ASKING}, because a node redirected the call with {@code ASK}. */
    boolean asking;

    /**
     * @param about what the call is, for messages: its command or keys, without the key value of a user
     * @param routingKey a key that decides which node of a cluster gets the call; null when any node will do
     * @param work sends the commands; fails with what a connection fails with, or with an exception that is for the caller
     */
    ServerCall(String about, byte[] routingKey, Function<Connection, Future<T>> work) {
        this(about, routingKey, true, work);
    }

    /**
     * @param logsRefusal whether a refusal is logged; not where the caller does that
     */
    ServerCall(String about, byte[] routingKey, boolean logsRefusal, Function<Connection, Future<T>> work) {
        this.about = about;
        this.routingKey = routingKey;
        this.logsRefusal = logsRefusal;
        this.work = work;
    }

    String about() {
        return about;
    }

    byte[] routingKey() {
        return routingKey;
    }

    boolean logsRefusal() {
        return logsRefusal;
    }

    Future<T> over(Connection connection) {
        try {
            return work.apply(connection);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    CompletableFuture<T> result() {
        return result;
    }

    /** There was a reply, but not one that answers the call. */
    static StoreException unexpectedReply(String about, boolean outcomeUnknown, Throwable failure) {
        return failure instanceof StoreException known ? known
                : new StoreException("Unexpected reply from Redis for " + about + " (" + failure
                        + "). If another application uses this key, set quarkus.redis-bulkhead.key-prefix to a prefix "
                        + "that no other application uses",
                        outcomeUnknown, failure);
    }
}
