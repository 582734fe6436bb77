package io.quarkiverse.redisbulkhead;

import java.util.Set;

/**
 * All bulkheads of this application. Inject it.
 */
public interface RedisBulkheads {

    /**
     * The names that the application's {@link RedisBulkhead} annotations declare.
     *
     * @return an unmodifiable set in alphabetical order
     */
    Set<String> names();

    /**
     * The bulkhead of that name.
     *
     * @param name as in {@link RedisBulkhead#name()}, not null
     * @return the bulkhead, never null
     * @throws IllegalArgumentException when no annotation declares the name; the message lists those declared
     */
    RedisSemaphore semaphore(String name);
}
