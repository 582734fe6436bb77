package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.smallrye.mutiny.Uni;

/**
 * One bulkhead, seen from code. Get it from {@link RedisBulkheads}. Thread-safe.
 * <p>
 * Blocking methods must not be called on an event loop; each has a counterpart that returns a {@link Uni}, which asks Redis
 * again at each subscription. When Redis is away or refuses the call, permits are granted or refused according to
 * {@link SemaphoreSpec#onOutage()}; all other methods fail with {@link BulkheadUnavailableException}. With the store
 * {@code lock}, any method that asks Redis may fail with {@link BulkheadContendedException} as well. Arguments that are null
 * or out of range are refused with {@link IllegalArgumentException} before Redis is asked.
 * <p>
 * Cancelling a subscription to such a {@link Uni} ({@code subscribe().with(...)}) leaves nothing behind. In a chain of
 * operators, one that is cancelled just as it gets a permit may drop it. The permit is then reported in the log, and given back
 * one {@code expire} later: prefer {@link #callAsync} and {@link #runAsync} there.
 * <p>
 * If a bulkhead has one limit for each key, call {@link #forKey(String)} first: otherwise methods that take or inspect permits
 * throw {@link IllegalStateException}; see {@link #needsKey()}.
 * <p>
 * A bulkhead that is disabled ({@code quarkus.redis-bulkhead.enabled=false}) grants every request, with an empty id and the
 * fencing token 0.
 */
public interface RedisSemaphore {

    /**
     * The semaphore of one key value, if the bulkhead has one limit for each key. Nothing is created in Redis, so this is
     * cheap, and there is nothing to close.
     *
     * @param key any text, not null
     * @return the semaphore, never null
     * @throws IllegalArgumentException when the key is null
     * @throws IllegalStateException when this is the semaphore of a key already, or when the bulkhead is declared by
     *         annotations without a key
     */
    RedisSemaphore forKey(String key);

    /**
     * The semaphore of one key value, with a limit of its own.
     *
     * @param key any text, not null
     * @param permits how many permits there are for this key, at least 1
     * @return the semaphore, never null; {@link #spec()} has the limit for this key
     * @throws IllegalArgumentException when the key is null, or the limit below 1
     * @throws IllegalStateException as for {@link #forKey(String)}
     */
    RedisSemaphore forKey(String key, int permits);

    /**
     * Whether the bulkhead has one limit for each key and none has been chosen yet, so {@link #forKey(String)} must be called
     * first.
     *
     * @return {@code false} when this is a single limit
     */
    boolean needsKey();

    /**
     * The key value whose semaphore this is.
     *
     * @return empty when this is the semaphore of the whole bulkhead
     */
    Optional<String> key();

    /**
     * What this bulkhead is: the annotation's values with the configuration applied, or the definition from code.
     *
     * @return the definition, never null
     */
    SemaphoreSpec spec();

    /**
     * Takes a permit of {@link SemaphoreSpec#weight()} if that much is free now; one attempt.
     *
     * @return the permit, to be released by the caller; empty when the bulkhead is full
     * @throws BulkheadUnavailableException when Redis is away or refuses the call, under {@link OnOutage#REJECT}
     * @throws IllegalStateException when called on an event loop
     */
    default Optional<Permit> tryAcquire() {
        return tryAcquire(spec().weight());
    }

    /**
     * The asynchronous counterpart of {@link #tryAcquire()}.
     *
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, it
     *         is released
     */
    default Uni<Optional<Permit>> tryAcquireAsync() {
        return tryAcquireAsync(spec().weight());
    }

    /**
     * Takes a permit of that weight if that much is free now; one attempt, all or nothing.
     *
     * @param weight how many permits this one counts for, at least 1, and at most {@link SemaphoreSpec#permits()}, regardless
     *        of {@link #resize}
     * @return one permit, to be released by the caller, which gives all of it back; empty when less is free, and when the limit
     *         is below the weight since {@link #resize}
     * @throws BulkheadUnavailableException when Redis is away or refuses the call, under {@link OnOutage#REJECT}
     * @throws IllegalArgumentException when the weight is out of range
     * @throws IllegalStateException when called on an event loop
     */
    Optional<Permit> tryAcquire(int weight);

    /**
     * The asynchronous counterpart of {@link #tryAcquire(int)}.
     *
     * @param weight as for {@link #tryAcquire(int)}
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, it
     *         is released
     * @throws IllegalArgumentException when the weight is out of range
     */
    Uni<Optional<Permit>> tryAcquireAsync(int weight);

    /**
     * Takes a permit of {@link SemaphoreSpec#weight()}, waiting until that much is free. The waiting thread parks;
     * interrupting it ends the wait.
     *
     * @param maxWait how long to wait, from zero, which is one attempt, to {@link SemaphoreSpec#MAX_WAIT}; not null
     * @return the permit, to be released by the caller
     * @throws BulkheadFullException when none was free in time
     * @throws BulkheadUnavailableException when Redis is away or refuses the call, under {@link OnOutage#REJECT}
     * @throws BulkheadInterruptedException when the thread is interrupted; it stays interrupted
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long
     * @throws IllegalStateException when called on an event loop
     */
    default Permit acquire(Duration maxWait) {
        return acquire(spec().weight(), maxWait);
    }

    /**
     * The asynchronous counterpart of {@link #acquire(Duration)}; no thread waits.
     *
     * @param maxWait as for {@link #acquire(Duration)}
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, the
     *         wait ends, and a permit that is granted meanwhile is released
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long
     */
    default Uni<Permit> acquireAsync(Duration maxWait) {
        return acquireAsync(spec().weight(), maxWait);
    }

    /**
     * Takes a permit of that weight, waiting until that much is free. It takes all or nothing: while it waits, it holds no
     * part. Later calls wait behind it, even if they are lighter.
     *
     * @param weight how many permits this one counts for, at least 1, and at most {@link SemaphoreSpec#permits()}, regardless
     *        of {@link #resize}
     * @param maxWait as for {@link #acquire(Duration)}
     * @return one permit, to be released by the caller, which gives all of it back
     * @throws BulkheadFullException when too little became free in time, or too many calls already wait; immediately when
     *         {@link #resize} sets a limit below the weight
     * @throws BulkheadUnavailableException as for {@link #acquire(Duration)}
     * @throws IllegalArgumentException when the weight is out of range, or {@code maxWait} is null, negative or too long
     * @throws IllegalStateException when called on an event loop
     */
    Permit acquire(int weight, Duration maxWait);

    /**
     * The asynchronous counterpart of {@link #acquire(int, Duration)}; no thread waits.
     *
     * @param weight as for {@link #acquire(int, Duration)}
     * @param maxWait as for {@link #acquire(Duration)}
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, the
     *         wait ends, and a permit that is granted meanwhile is released
     * @throws IllegalArgumentException when the weight is out of range, or {@code maxWait} is null, negative or too long
     */
    Uni<Permit> acquireAsync(int weight, Duration maxWait);

    /**
     * Takes over a permit of this bulkhead that was {@linkplain Permit#detach() detached}, in this process or another. From
     * now on it is renewed here, its loss is reported here, and the caller releases it. {@code maxHold} and {@code minHold}
     * count from when the original was granted, and its weight is the one it had. It has a new id, and a new fencing token,
     * which is greater, so that a resource that checks tokens refuses the process that detached it.
     * <p>
     * If several callers attach the same permit, exactly one succeeds. If the call fails with
     * {@link BulkheadUnavailableException}, call it again in this process within one lease: Redis may already have attached the
     * permit to it. This does not apply if the thread was interrupted: the permit is then released.
     *
     * @param token what {@link Permit#detach()} returned; not null
     * @return the permit, to be released by the caller
     * @throws PermitGoneException when its lease has ended, it was attached already or revoked, or it belongs to another
     *         bulkhead or key
     * @throws IllegalArgumentException when the token is null or malformed
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    Permit attach(String token);

    /**
     * The asynchronous counterpart of {@link #attach}.
     *
     * @param token as for {@link #attach}
     * @return the permit, attached at subscription; when the subscription is cancelled before the permit is emitted, it is
     *         released
     * @throws IllegalArgumentException when the token is null or malformed
     */
    Uni<Permit> attachAsync(String token);

    /**
     * Runs an action with a permit, waiting for one for up to {@link SemaphoreSpec#maxWait()}. Like a guarded method, the
     * action can use {@link CurrentPermit}, and {@link SemaphoreSpec#onLost()} applies to it. This does not wait for the reply
     * to the release, unless {@link SemaphoreSpec#awaitRelease()} is set; the next call of this process finds the permit free
     * either way.
     *
     * @param action what to run, not null
     * @throws BulkheadFullException when no permit was free in time
     * @throws BulkheadUnavailableException when Redis is away or refuses the call, under {@link OnOutage#REJECT}
     * @throws IllegalStateException when called on an event loop
     */
    void run(Runnable action);

    /**
     * Like {@link #run}, with a result.
     *
     * @param <T> what it returns
     * @param action what to run, not null
     * @param <E> the checked exception that it throws
     * @return what it returned
     * @throws E what it threw; unchecked exceptions as {@link #run}
     */
    <T, E extends Exception> T call(CheckedCallable<T, E> action) throws E;

    /**
     * The asynchronous counterpart of {@link #run}: one permit per subscription, acquired within
     * {@link SemaphoreSpec#maxWait()}, and held until the action's {@code Uni} ends or is cancelled.
     *
     * @param action creates the {@code Uni} once the permit is held, not null
     * @return completes when the action has ended; fails with what the action fails with, or as
     *         {@link #run} does
     */
    Uni<Void> runAsync(Supplier<? extends Uni<?>> action);

    /**
     * The asynchronous counterpart of {@link #call}: one permit per subscription, acquired within
     * {@link SemaphoreSpec#maxWait()}, and held until the action's {@code Uni} ends or is cancelled.
     *
     * @param <T> what the {@code Uni} emits
     * @param action creates the {@code Uni} once the permit is held, not null
     * @return what the action's {@code Uni} emits, or fails with; fails as {@link #run} does
     */
    <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action);

    /**
     * How full the bulkhead is, across all applications.
     *
     * @return the state at one instant of the Redis server
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    SemaphoreStatus status();

    /**
     * The asynchronous counterpart of {@link #status()}.
     *
     * @return the state, requested at subscription
     */
    Uni<SemaphoreStatus> statusAsync();

    /**
     * The holders of permits across all applications; the one whose lease ends first comes first.
     *
     * @return at most {@value #MAX_HOLDERS} holders
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    List<Holder> holders();

    /**
     * The asynchronous counterpart of {@link #holders()}.
     *
     * @return the holders, requested at subscription
     */
    Uni<List<Holder>> holdersAsync();

    /**
     * The calls that wait for a permit, across all applications; in a fair bulkhead, the next one comes first.
     *
     * @return at most {@value #MAX_HOLDERS} waiters
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    List<Waiter> waiters();

    /**
     * The asynchronous counterpart of {@link #waiters()}.
     *
     * @return the waiters, requested at subscription
     */
    Uni<List<Waiter>> waitersAsync();

    /**
     * Takes a permit away from its holder, in any application. The execution continues, unless {@link OnLost#INTERRUPT} is set
     * there. Its instance reports the loss immediately. If the instance does not answer, Redis takes as many permits from it,
     * and the instance reports the loss when it syncs next.
     *
     * @param permitId the permit, as {@link Holder#permitId()}, not null
     * @return {@code false} only if the permit is known to be gone
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    boolean revoke(String permitId);

    /**
     * The asynchronous counterpart of {@link #revoke}.
     *
     * @param permitId the permit, not null
     * @return the result; revokes at each subscription
     */
    Uni<Boolean> revokeAsync(String permitId);

    /**
     * Sets the limit for all applications, in place of the one that they define. It takes effect immediately; executions above
     * a smaller limit finish. It stays in force until {@link #resetSize()}. After {@value #RESIZE_LASTS_DAYS} days, it also
     * ends when the bulkhead has been unused for one {@code expire}. With the {@code local} store, it ends when the application
     * stops.
     *
     * @param permits the limit, at least 1
     * @throws IllegalArgumentException when it is below 1
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    void resize(int permits);

    /**
     * The asynchronous counterpart of {@link #resize}.
     *
     * @param permits the limit, at least 1
     * @return completes when it is in force; resizes at each subscription
     * @throws IllegalArgumentException when it is below 1
     */
    Uni<Void> resizeAsync(int permits);

    /**
     * Undoes {@link #resize}: every application uses its own definition again.
     *
     * @return {@code false} only if there was nothing to undo
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    boolean resetSize();

    /**
     * The asynchronous counterpart of {@link #resetSize()}.
     *
     * @return the result; resets at each subscription
     */
    Uni<Boolean> resetSizeAsync();

    /** For how many days {@link #resize} stays in force at least. */
    int RESIZE_LASTS_DAYS = 30;

    /** The most {@link #holders()} and {@link #waiters()} that are listed. */
    int MAX_HOLDERS = 5_000;
}
