package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.smallrye.mutiny.Uni;

/**
 * A lock that at most one execution owns, across all applications that share a Redis. Get it from {@link RedisBulkheads}.
 * Thread-safe.
 *
 * <pre>{@code
 * try (Permit owned = lock.lock()) {
 *     ...
 * }
 * }</pre>
 *
 * The {@link Permit} is the handle of the owner: only it releases the lock, and only it renews it. A release that arrives
 * after the lease has ended does not affect the lock of the next owner.
 * <p>
 * The lock is not reentrant, and belongs to the permit, not to a thread: a caller that requests a lock that the same thread
 * owns waits for itself until its wait times out.
 * <p>
 * A lock is owned for a lease ({@link LockSpec#lockTimeout()}) that is renewed in the background. An owner that is paused for
 * longer than its lease loses the lock without noticing until it resumes, and may then overlap with the next owner. Where data
 * is at stake, let the data's store check {@link Permit#fencingToken()}.
 * <p>
 * Blocking methods must not be called on an event loop; each has a counterpart that returns a {@link Uni}, which queries Redis
 * again at each subscription. When Redis is away or refuses the call, all methods fail with
 * {@link BulkheadUnavailableException}: no lock is granted without Redis, because that could allow two owners. With the store
 * {@code lock}, any method that asks Redis may fail with {@link BulkheadContendedException} as well. Arguments that are null
 * or out of range are refused with {@link IllegalArgumentException} before Redis is asked.
 * <p>
 * Cancelling a subscription to such a {@link Uni} ({@code subscribe().with(...)}) leaves nothing behind. In a chain of
 * operators, one that is cancelled just as it gets a permit may drop it. The permit is then reported in the log, and given back
 * one {@code lockTimeout} later: prefer {@code callAsync} and {@code runAsync} there.
 * <p>
 * {@code quarkus.redis-bulkhead.enabled=false} disables limits, but not mutual exclusion: locks still work.
 */
public interface RedisLock {

    /**
     * What this lock is.
     *
     * @return the definition with the configuration applied, never null
     */
    LockSpec spec();

    /**
     * Takes the lock if it is free now; one attempt.
     *
     * @return the permit of its owner, to be released by the caller; empty when another owns the lock
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    default Optional<Permit> tryLock() {
        return tryLock(Duration.ZERO);
    }

    /**
     * The asynchronous counterpart of {@link #tryLock()}.
     *
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, it
     *         is released
     */
    default Uni<Optional<Permit>> tryLockAsync() {
        return tryLockAsync(Duration.ZERO);
    }

    /**
     * Takes the lock, waiting until it is free. The waiting thread parks; interrupting it ends the wait.
     *
     * @param maxWait how long to wait, from zero, which is one attempt, to {@link SemaphoreSpec#MAX_WAIT}; not null
     * @return the permit of its owner, to be released by the caller; empty when the lock was not free in time, and immediately
     *         when it is not free and {@code quarkus.redis-bulkhead.max-blocked-threads} calls already wait
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws BulkheadInterruptedException when the thread is interrupted; it stays interrupted
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long
     * @throws IllegalStateException when called on an event loop
     */
    Optional<Permit> tryLock(Duration maxWait);

    /**
     * The asynchronous counterpart of {@link #tryLock(Duration)}; no thread waits.
     *
     * @param maxWait as for {@link #tryLock(Duration)}
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, the
     *         wait ends, and a permit that is granted meanwhile is released
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long
     */
    Uni<Optional<Permit>> tryLockAsync(Duration maxWait);

    /**
     * Takes the lock, waiting for it for up to {@link LockSpec#acquireTimeout()}. The waiting thread parks; interrupting it
     * ends the wait.
     *
     * @return the permit of its owner, to be released by the caller, never null
     * @throws LockNotAcquiredException when it was not free in time
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws BulkheadInterruptedException when the thread is interrupted; it stays interrupted
     * @throws IllegalStateException when called on an event loop
     */
    Permit lock();

    /**
     * The asynchronous counterpart of {@link #lock()}; no thread waits.
     *
     * @return the permit, requested at each subscription; when the subscription is cancelled before the permit is emitted, the
     *         wait ends, and a permit that is granted meanwhile is released
     */
    Uni<Permit> lockAsync();

    /**
     * Takes over a permit of this lock that was {@linkplain Permit#detach() detached}, in this process or
     * another. From now on it is renewed here, its loss is reported here, and the caller releases it. {@code maxHold} and
     * {@code minHold} count from when the original was granted. It has a new id, and a new fencing token, which is greater, so
     * that a resource that checks tokens refuses the process that detached it.
     * <p>
     * If several callers attach the same permit, exactly one succeeds. If the call fails with
     * {@link BulkheadUnavailableException}, call it again in this process within one lease: Redis may already have attached the
     * permit to it. This does not apply if the thread was interrupted: the permit is then released.
     *
     * @param token what {@link Permit#detach()} returned; not null
     * @return the permit, to be released by the caller
     * @throws PermitGoneException when its lease has ended, it was attached already or revoked, or it belongs to another lock
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
     * Runs an action as the owner of the lock, waiting for it for up to {@link LockSpec#acquireTimeout()}. The lock is
     * released when the action ends, however it ends. The action can look at {@link CurrentPermit}, and
     * {@link LockSpec#onLost()} applies to it.
     *
     * @param action what to run, not null
     * @throws LockNotAcquiredException when the lock was not free in time
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws BulkheadInterruptedException when the thread is interrupted; it stays interrupted
     * @throws IllegalStateException when called on an event loop
     */
    void run(Runnable action);

    /**
     * Like {@link #run(Runnable)}, with its own wait time.
     *
     * @param maxWait how long to wait for the lock, from zero, which is one attempt, to {@link SemaphoreSpec#MAX_WAIT}; not
     *        null
     * @param action what to run, not null
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long, or the action is null
     */
    void run(Duration maxWait, Runnable action);

    /**
     * Like {@link #run(Runnable)}, with a result.
     *
     * @param action what to run, not null
     * @param <T> what it returns
     * @param <E> the checked exception that it throws
     * @return what it returned
     * @throws E what it threw; unchecked exceptions as {@link #run(Runnable)}
     */
    <T, E extends Exception> T call(CheckedCallable<T, E> action) throws E;

    /**
     * Like {@link #call(CheckedCallable)}, with its own wait time.
     *
     * @param maxWait as for {@link #run(Duration, Runnable)}
     * @param action what to run, not null
     * @param <T> what it returns
     * @param <E> the checked exception that it throws
     * @return what it returned
     * @throws E what it threw; unchecked exceptions as {@link #run(Duration, Runnable)}
     */
    <T, E extends Exception> T call(Duration maxWait, CheckedCallable<T, E> action) throws E;

    /**
     * The asynchronous counterpart of {@link #run(Runnable)}: the lock is taken at each subscription, and owned until the
     * action's {@code Uni} ends or is cancelled.
     *
     * @param action creates the {@code Uni} once the lock is owned, not null
     * @return completes when the action has ended and the lock is released; fails with what the action fails with, or as
     *         {@link #run(Runnable)} does
     */
    Uni<Void> runAsync(Supplier<? extends Uni<?>> action);

    /**
     * Like {@link #runAsync(Supplier)}, with its own wait time.
     *
     * @param maxWait as for {@link #run(Duration, Runnable)}
     * @param action creates the {@code Uni} once the lock is owned, not null
     * @return as {@link #runAsync(Supplier)}
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long, or the action is null
     */
    Uni<Void> runAsync(Duration maxWait, Supplier<? extends Uni<?>> action);

    /**
     * The asynchronous counterpart of {@link #call(CheckedCallable)}: the lock is taken at each subscription, and owned until
     * the action's {@code Uni} ends or is cancelled.
     *
     * @param action creates the {@code Uni} once the lock is owned, not null
     * @param <T> what the action's {@code Uni} emits
     * @return what the action's {@code Uni} emits, or fails with, once the lock is released; fails as {@link #run(Runnable)}
     *         does
     */
    <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action);

    /**
     * Like {@link #callAsync(Supplier)}, with its own wait time.
     *
     * @param maxWait as for {@link #run(Duration, Runnable)}
     * @param action creates the {@code Uni} once the lock is owned, not null
     * @param <T> what the action's {@code Uni} emits
     * @return as {@link #callAsync(Supplier)}
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long, or the action is null
     */
    <T> Uni<T> callAsync(Duration maxWait, Supplier<? extends Uni<? extends T>> action);

    /**
     * The owner of the lock, in any application.
     *
     * @return the owner at one instant of the Redis server; empty when the lock is free. {@link Holder#bulkhead()} is
     *         {@value LockSpec#BULKHEAD_PREFIX} and the lock's name
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    Optional<Holder> owner();

    /**
     * The asynchronous counterpart of {@link #owner()}.
     *
     * @return the owner, requested at each subscription
     */
    Uni<Optional<Holder>> ownerAsync();

    /**
     * The calls that wait for the lock, across all applications; for a fair lock, the next one comes first.
     *
     * @return at most {@value RedisSemaphore#MAX_HOLDERS} waiters
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    List<Waiter> waiters();

    /**
     * The asynchronous counterpart of {@link #waiters()}.
     *
     * @return the waiters, requested at each subscription
     */
    Uni<List<Waiter>> waitersAsync();

    /**
     * Takes the lock away from its owner, in any application. This is for operators: the owner's execution continues, unless
     * {@link OnLost#INTERRUPT} is set there, and may overlap with the next owner's. Its instance reports the loss immediately,
     * or when it syncs next if it does not answer. A new owner that gets the lock while this call is in progress keeps it.
     *
     * @return {@code false} when the lock no longer had an owner
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    boolean revoke();

    /**
     * The asynchronous counterpart of {@link #revoke()}.
     *
     * @return the result; revokes at each subscription
     */
    Uni<Boolean> revokeAsync();
}
