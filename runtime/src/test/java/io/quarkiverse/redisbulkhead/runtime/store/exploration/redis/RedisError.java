package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

/** The error reply of Redis to a refused command. */
public final class RedisError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RedisError(String message) {
        super(message, null, false, false);
    }
}
