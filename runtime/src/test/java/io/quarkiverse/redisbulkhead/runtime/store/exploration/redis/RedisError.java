package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

/** What Redis answers to a command that it refuses. */
public final class RedisError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RedisError(String message) {
        super(message, null, false, false);
    }
}
