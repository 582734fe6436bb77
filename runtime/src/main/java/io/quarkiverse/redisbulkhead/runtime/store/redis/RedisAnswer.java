package io.quarkiverse.redisbulkhead.runtime.store.redis;

/**
 * The answer to a call.
 *
 * @param value what Redis said
 * @param repeated whether the call was made more than once, because a connection broke before the answer came: an earlier
 *        copy may have been carried out before this one, or may still be carried out
 * @param <T> what the call is answered by
 */
public record RedisAnswer<T>(T value, boolean repeated) {
}
