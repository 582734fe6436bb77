package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.smallrye.mutiny.Uni;

/**
 * A lock that at most one execution owns, over all applications that share a Redis. Get it from {@link RedisBulkheads}. Safe
 * for use by many threads.
 *
 * <pre>{@code
 * try (Permit owned = lock.lock()) {
 *     ...
 * }
 * }</pre>
 *
 * The {@link Permit} is the handle of the owner: only it releases the lock, and only it renews it. A release that comes
 * when the lease has ended does not touch the lock of the next owner.
 * <p>
 * The lock is not reentrant, and belongs to the permit, not to a thread: a caller that requests a lock that the same thread
 * owns
 * waits for itself until the time to wait is over.
 * <p>
 * A lock is owned for a lease ({@link LockSpec#lockTimeout()}) that is renewed in the background. An owner that is paused for
 * longer than its lease loses the lock without noticing before it wakes up, and may overlap with the next owner then. Where
 * data is at stake, let the data's store check {@link Permit#fencingToken()}.
 * <p>
 * Blocking methods must not be called on an event loop; each has a twin that answers with a {@link Uni}, which queries Redis
 * again
 * at each subscription. When Redis is away or refuses the call, all methods fail with {@link BulkheadUnavailableException}:
 * no lock is granted without Redis, because that could make two owners. With the store {@code lock}, any method that asks
 * Redis may fail with {@link BulkheadContendedException} as well. Arguments that are null or out of range are refused with
 * {@link IllegalArgumentException} before Redis is asked. {@code quarkus.redis-bulkhead.enabled=false} switches limits off,
 * but not mutual exclusion: locks lock all the same.
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
    Optional<Permit> tryLock();

    /**
     * The asynchronous twin of {@link #tryLock()}.
     *
     * @return the permit, asked for at each subscription; when the subscription is cancelled before the permit is emitted,
     *         it is given back
     */
    Uni<Optional<Permit>> tryLockAsync();

    /**
     * Takes the lock, and waits until it is free. The waiting thread parks; interrupting it ends the wait.
     *
     * @param maxWait how long to wait, from zero, which is one attempt, to {@link SemaphoreSpec#MAX_WAIT}; not null
     * @return the permit of its owner, to be released by the caller; empty when the lock was not free in time, and at once
     *         when it is not free and {@code quarkus.redis-bulkhead.max-blocked-threads} calls already wait
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws BulkheadInterruptedException when the thread is interrupted; it stays interrupted
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long
     * @throws IllegalStateException when called on an event loop
     */
    Optional<Permit> tryLock(Duration maxWait);

    /**
     * The asynchronous twin of {@link #tryLock(Duration)}; no thread waits.
     *
     * @param maxWait as for {@link #tryLock(Duration)}
     * @return the permit, asked for at each subscription; when the subscription is cancelled before the permit is emitted,
     *         the wait ends, and a permit that is granted meanwhile is given back
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long
     */
    Uni<Optional<Permit>> tryLockAsync(Duration maxWait);

    /**
     * Takes the lock, and waits until it is free as long as {@link LockSpec#acquireTimeout()} says. The waiting thread parks;
     * interrupting it ends the wait.
     *
     * @return the permit of its owner, to be released by the caller, never null
     * @throws LockNotAcquiredException when it was not free in time
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws BulkheadInterruptedException when the thread is interrupted; it stays interrupted
     * @throws IllegalStateException when called on an event loop
     */
    Permit lock();

    /**
     * The asynchronous twin of {@link #lock()}; no thread waits.
     *
     * @return the permit, asked for at each subscription; when the subscription is cancelled before the permit is emitted,
     *         the wait ends, and a permit that is granted meanwhile is given back
     */
    Uni<Permit> lockAsync();

    /**
     * Takes over the permit of an owner of this lock that was {@linkplain Permit#detach() detached}, in this process or
     * another. From now
     * on it is renewed here, its loss is reported here, and the caller releases it. {@code maxHold} and {@code minHold} count
     * from its start. It has a new id, and a new fencing token, which is greater, so that a resource that checks tokens
     * refuses the process that detached it.
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
     * The asynchronous twin of {@link #attach}.
     *
     * @param token as for {@link #attach}
     * @return the permit, attached at subscription; when the subscription is cancelled before the permit is emitted, it is
     *         released
     * @throws IllegalArgumentException when the token is null or malformed
     */
    Uni<Permit> attachAsync(String token);

    /**
     * Runs something as the owner of the lock; waits for it as long as {@link LockSpec#acquireTimeout()} says. The lock is
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
     * As {@link #run(Runnable)}, with a time to wait of its own.
     *
     * @param maxWait how long to wait for the lock, from zero, which is one attempt, to {@link SemaphoreSpec#MAX_WAIT}; not
     *        null
     * @param action what to run, not null
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long, or the action is null
     */
    void run(Duration maxWait, Runnable action);

    /**
     * As {@link #run(Runnable)}, with a result.
     *
     * @param action what to run, not null
     * @param <T> what it returns
     * @return what it returned
     * @throws Exception what it threw, or as {@link #run(Runnable)}
     */
    <T> T call(Callable<T> action) throws Exception;

    /**
     * As {@link #call(Callable)}, with a time to wait of its own.
     *
     * @param maxWait as for {@link #run(Duration, Runnable)}
     * @param action what to run, not null
     * @param <T> what it returns
     * @return what it returned
     * @throws Exception what it threw, or as {@link #run(Duration, Runnable)}
     */
    <T> T call(Duration maxWait, Callable<T> action) throws Exception;

    /**
     * The asynchronous twin of {@link #run(Runnable)}: the lock is taken at each subscription, and owned until the action's
     * {@code Uni} ends or is cancelled.
     *
     * @param action makes the {@code Uni} once the lock is owned, not null
     * @return completes when the action has ended and the lock is released; fails with what the action fails with, or as
     *         {@link #run(Runnable)} does
     */
    Uni<Void> runAsync(Supplier<? extends Uni<?>> action);

    /**
     * As {@link #runAsync(Supplier)}, with a time to wait of its own.
     *
     * @param maxWait as for {@link #run(Duration, Runnable)}
     * @param action makes the {@code Uni} once the lock is owned, not null
     * @return as {@link #runAsync(Supplier)}
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long, or the action is null
     */
    Uni<Void> runAsync(Duration maxWait, Supplier<? extends Uni<?>> action);

    /**
     * The asynchronous twin of {@link #call(Callable)}: the lock is taken at each subscription, and owned until the action's
     * {@code Uni} ends or is cancelled.
     *
     * @param action makes the {@code Uni} once the lock is owned, not null
     * @param <T> what the action's {@code Uni} emits
     * @return what the action's {@code Uni} emits, or fails with, once the lock is released; fails as {@link #run(Runnable)}
     *         does
     */
    <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action);

    /**
     * As {@link #callAsync(Supplier)}, with a time to wait of its own.
     *
     * @param maxWait as for {@link #run(Duration, Runnable)}
     * @param action makes the {@code Uni} once the lock is owned, not null
     * @param <T> what the action's {@code Uni} emits
     * @return as {@link #callAsync(Supplier)}
     * @throws IllegalArgumentException when {@code maxWait} is null, negative or too long, or the action is null
     */
    <T> Uni<T> callAsync(Duration maxWait, Supplier<? extends Uni<? extends T>> action);

    /**
     * Who owns the lock, whichever application that is.
     *
     * @return the owner at one instant of the Redis server; empty when the lock is free. {@link Holder#bulkhead()} is
     *         {@value LockSpec#BULKHEAD_PREFIX} and the lock's name
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    Optional<Holder> owner();

    /**
     * The asynchronous twin of {@link #owner()}.
     *
     * @return the owner, asked for at each subscription
     */
    Uni<Optional<Holder>> ownerAsync();

    /**
     * Who waits for the lock, over all applications; for a fair lock the next one first.
     *
     * @return at most {@value RedisSemaphore#MAX_HOLDERS} waiters
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    List<Waiter> waiters();

    /**
     * The asynchronous twin of {@link #waiters()}.
     *
     * @return the waiters, asked for at each subscription
     */
    Uni<List<Waiter>> waitersAsync();

    /**
     * Takes the lock away from its owner, whichever application that is. This is for operators: the owner's execution
     * continues, unless {@link OnLost#INTERRUPT} is set there, and may overlap with the next owner's. Its loss is reported
     * there
     * within a third of the lease, at its next renewal. A new owner that gets the lock while this call is in progress keeps
     * it.
     *
     * @return {@code false} when the lock was not owned any more
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws IllegalStateException when called on an event loop
     */
    boolean revoke();

    /**
     * The asynchronous twin of {@link #revoke()}.
     *
     * @return the answer; revokes at each subscription
     */
    Uni<Boolean> revokeAsync();
}
