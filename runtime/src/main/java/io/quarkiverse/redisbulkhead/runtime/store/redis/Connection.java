package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A connection as calls see it. Other calls may use it at the same time. */
public interface Connection {

    /** Sends a command; nothing is sent twice. */
    Future<Response> send(Request command);

    /**
     * Runs a script by its digest, or by its text where the server does not know the digest: after its first start, a restart,
     * a failover or {@code SCRIPT FLUSH}. The text also teaches the server the digest.
     */
    Future<Response> run(String script, String sha1, List<byte[]> keys, List<byte[]> args);

    /** The run id of the server when the connection was opened; empty if unknown. */
    String server();

    /** Asks for the run id of the server, because a proxy can hide a failover; empty if unknown. */
    Future<String> currentServer();

    /**
     * For how long this instance has known that this run of a server has the data, after another one had it; -1 if it has known
     * no other.
     */
    long serverSinceMillis();
}
