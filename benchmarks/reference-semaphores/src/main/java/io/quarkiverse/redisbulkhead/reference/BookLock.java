package io.quarkiverse.redisbulkhead.reference;

import static io.quarkiverse.redisbulkhead.reference.BlockingRedis.request;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/**
 * The lock with a timeout of "Redis in Action", 6.2.5: SETNX with a token, then EXPIRE; retried every millisecond until the
 * timeout. A lock without an expiry gets one from the next client that finds it.
 */
public final class BookLock {

    /** How long a caller retries. */
    public static final long ACQUIRE_TIMEOUT_MILLIS = 10;
    /** The time after which an unreleased lock expires. */
    public static final int LOCK_TIMEOUT_SECONDS = 10;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ReferenceClient client;
    private final String key;

    /**
     * Sends no command yet.
     *
     * @param client the client that uses it
     * @param name what is locked
     */
    public BookLock(ReferenceClient client, String name) {
        this.client = client;
        this.key = keyOf(name);
    }

    /**
     * The key of the lock.
     *
     * @param name what is locked
     * @return the key
     */
    public static String keyOf(String name) {
        return "lock:" + name;
    }

    /**
     * Tries for ten milliseconds.
     *
     * @return the token; empty when another has the lock
     */
    public Optional<String> acquire() {
        String token = client.identifiers().get();
        long end = client.clock().getAsLong() + ACQUIRE_TIMEOUT_MILLIS;
        while (client.clock().getAsLong() < end) {
            client.checkpoint().before(RoundTrip.LOCK);
            if (client.redis().send(Command.SETNX, key, token).toInteger() == 1) {
                limit();
                return Optional.of(token);
            }
            client.checkpoint().before(RoundTrip.CHECK_LOCK);
            if (client.redis().send(Command.TTL, key).toInteger() == -1) {
                limit();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return Optional.empty();
    }

    private void limit() {
        client.checkpoint().before(RoundTrip.LIMIT_LOCK);
        client.redis().send(Command.EXPIRE, key, LOCK_TIMEOUT_SECONDS);
    }

    /**
     * Deletes the lock if this client still owns it.
     *
     * @param token of the owner
     * @return {@code false} when it was lost
     */
    public boolean release(String token) {
        Response deleted = null;
        while (deleted == null) {
            client.checkpoint().before(RoundTrip.WATCH_LOCK);
            client.redis().send(Command.WATCH, key);
            client.checkpoint().before(RoundTrip.READ_LOCK);
            Response holder = client.redis().send(Command.GET, key);
            if (holder == null || !holder.toString().equals(token)) {
                client.redis().send(Command.UNWATCH);
                return false;
            }
            client.checkpoint().before(RoundTrip.DELETE_LOCK);
            deleted = client.redis().transaction(request(Command.DEL, key));
        }
        return true;
    }
}
