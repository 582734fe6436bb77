package io.quarkiverse.redisbulkhead;

import java.util.Set;

/**
 * All bulkheads and locks of this application. Inject it.
 */
public interface RedisBulkheads {

    /**
     * The names that the application's {@link RedisBulkhead} annotations declare, with expressions resolved.
     *
     * @return an unmodifiable set in alphabetical order
     */
    Set<String> names();

    /**
     * The bulkhead of that name.
     *
     * @param name as in {@link RedisBulkhead#name()}, with expressions resolved
     * @return the bulkhead, never null
     * @throws IllegalArgumentException when no annotation declares the name; the message lists those declared, the nearest
     *         first
     */
    RedisSemaphore semaphore(String name);

    /**
     * A bulkhead that is defined in code. Nothing is created in Redis, so this is cheap, and there is nothing to close. If an
     * annotation, other code or another application uses the same name, they share the permits.
     * <p>
     * Configuration of the name, such as {@code quarkus.redis-bulkhead."name".permits}, overrides the definition, as it does
     * an annotation. Of the properties for all bulkheads, {@code enabled}, {@code key-prefix} and those of Redis apply;
     * {@code on-outage}, {@code instances}, {@code keep-idle} and {@code await-release} are part of the definition.
     *
     * @param spec the definition, not null
     * @return the bulkhead, never null; its {@linkplain RedisSemaphore#spec() spec} has the values in force
     * @throws IllegalArgumentException when it is null, or the bulkhead behind a lock; when a property of the extension has its
     *         name, as with {@code rest}; or when an annotation or an earlier definition in this process has the same name and
     *         other permits or another order
     * @throws io.quarkus.runtime.configuration.ConfigurationException when the configuration of the name is not valid
     */
    RedisSemaphore semaphore(SemaphoreSpec spec);

    /**
     * The lock of that name, configured by {@code quarkus.redis-bulkhead.lock."name".*}, otherwise by
     * {@code quarkus.redis-bulkhead.lock.*}. It need not be declared or configured. Nothing is created in Redis, so this is
     * cheap, and there is nothing to close.
     *
     * @param name any name, as for {@link LockSpec#named}; a bulkhead of the same name is unrelated
     * @return the lock, never null
     * @throws IllegalArgumentException when {@link LockSpec#named} refuses it
     * @throws IllegalStateException when the Redis hosts are not configured
     */
    RedisLock lock(String name);

    /**
     * A lock that is defined in code. All callers that use the same name share the lock. Configuration of locks is not
     * applied.
     *
     * @param spec the definition, not null
     * @return the lock, never null
     * @throws IllegalArgumentException when it is null
     * @throws IllegalStateException when the Redis hosts are not configured
     */
    RedisLock lock(LockSpec spec);
}
