package io.quarkiverse.redisbulkhead;

import java.util.List;

import io.smallrye.mutiny.Uni;

/**
 * One bulkhead, seen from code. Get it from {@link RedisBulkheads}. Safe for use by many threads.
 * <p>
 * Blocking methods must not be called on an event loop; each has a twin that answers with a {@link Uni}, which asks
 * Redis anew at each subscription. All of them fail with {@link BulkheadUnavailableException} when Redis gives no
 * answer.
 */
public interface RedisSemaphore {

    /**
     * What this bulkhead is: the annotation's values with the configuration applied.
     *
     * @return the definition, never null
     */
    SemaphoreSpec spec();

    /**
     * How full the bulkhead is, over all applications.
     *
     * @return the state at one instant of the Redis server
     * @throws BulkheadUnavailableException when Redis gives no answer
     * @throws IllegalStateException when called on an event loop
     */
    SemaphoreStatus status();

    /**
     * The asynchronous twin of {@link #status()}.
     *
     * @return the state, asked for at subscription
     */
    Uni<SemaphoreStatus> statusAsync();

    /**
     * Who holds the permits, over all applications, the lease that ends first coming first.
     *
     * @return at most {@value #MAX_HOLDERS} holders
     * @throws BulkheadUnavailableException when Redis gives no answer
     * @throws IllegalStateException when called on an event loop
     */
    List<Holder> holders();

    /**
     * The asynchronous twin of {@link #holders()}.
     *
     * @return the holders, asked for at subscription
     */
    Uni<List<Holder>> holdersAsync();

    /** How many holders {@link #holders()} lists at the most. */
    int MAX_HOLDERS = 1_000;
}
