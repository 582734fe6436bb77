package io.quarkiverse.redisbulkhead;

import java.util.Optional;

import io.smallrye.mutiny.Uni;

/**
 * The right to run one execution. Its lease is renewed in the background until the permit is released or lost, or
 * {@code max-hold} is over. Thread-safe.
 *
 * <pre>{@code
 * try (Permit permit = semaphore.acquire(Duration.ofSeconds(2))) {
 *     ...
 * }
 * }</pre>
 *
 * Keep a reference to the permit as long as you need it. One that is dropped without having been released is reported in the
 * log, and given back one {@code expire} later.
 * <p>
 * Blocking methods must not be called on an event loop; each has a counterpart that returns a {@link Uni}.
 */
public interface Permit extends AutoCloseable {

    /**
     * The permit's id, unique among all permits.
     *
     * @return never null; empty when the permit was granted under {@link OnOutage#ALLOW} or by a bulkhead that is disabled
     */
    String id();

    /**
     * The bulkhead that the permit belongs to.
     *
     * @return its name, never null; for a lock, {@value LockSpec#BULKHEAD_PREFIX} and the lock's name
     */
    String bulkhead();

    /**
     * The key value that the permit counts for.
     *
     * @return empty if the bulkhead is used without a key
     */
    Optional<String> key();

    /**
     * A number that no other permit of the same bulkhead and key has, across all instances. It is never lower than one that
     * was drawn before the share of this instance was granted. With one permit, as behind a lock, it strictly increases from
     * execution to execution: a resource that remembers the greatest one it has seen, and refuses smaller ones, is safe from
     * holders that were paused for longer than their lease. In a bulkhead with several permits, or with one that instances
     * keep idle, tokens may repeat for about a second after Redis has lost its data.
     * <p>
     * Ask for the token while the permit is held: it is drawn when it is first asked for. Never waits.
     *
     * @return the token; 0 when it is asked for first after the permit was released, and when the permit was granted without
     *         Redis, during an outage or by a bulkhead that is disabled, so that such a resource refuses it
     */
    long fencingToken();

    /**
     * Whether this process still holds the permit. Answers from memory, without asking Redis: {@code false} as soon as the
     * lease may have ended.
     *
     * @return {@code false} after it was released, detached or lost
     */
    boolean isHeld();

    /**
     * Renews the lease now, in addition to the renewal in the background. With {@code max-hold}, the lease does not
     * reach beyond it.
     *
     * @return {@code false} when the permit is released or lost
     * @throws BulkheadUnavailableException when Redis is away or refuses the call; the permit is not lost
     * @throws BulkheadContendedException when too many calls compete for the bulkhead; the permit is not lost
     * @throws IllegalStateException when called on an event loop
     */
    boolean refresh();

    /**
     * The asynchronous counterpart of {@link #refresh()}.
     *
     * @return the result, requested at each subscription
     */
    Uni<Boolean> refreshAsync();

    /**
     * Releases the permit and waits for the reply. Releasing it again, or after it was lost, is harmless.
     *
     * @return {@code true} when the permit was held until now; {@code false} when it had been released or lost before. When
     *         Redis is away or refuses the call, or too many calls compete, the permit is released in the background, and this
     *         is {@code true}
     * @throws IllegalStateException when called on an event loop
     */
    boolean release();

    /**
     * The asynchronous counterpart of {@link #release()}. A cancellation does not stop the release.
     *
     * @return the result; the permit is released at the first subscription
     */
    Uni<Boolean> releaseAsync();

    /**
     * Detaches the permit so that another process can attach it. From then on this process does not renew it:
     * {@link #isHeld()} is {@code false}, no {@link PermitLost} is fired, and neither {@link #close()}, the end of a guarded
     * method nor a shutdown releases it. Pass the token to the process that calls {@link RedisSemaphore#attach} or
     * {@link RedisLock#attach}. The permit stays taken for one lease from now. If no process attaches it by then, it is free.
     * An execution that continues after this call runs without the permit.
     * <p>
     * If this fails with {@link BulkheadUnavailableException} or {@link BulkheadContendedException}, the permit is held as
     * before, and can be detached again. A token is a secret: anyone who has it can take over the permit.
     *
     * @return the token, never null: lower-case letters, digits, hyphens, dots and, for a weight above 1, asterisks. It
     *         cannot be derived from the id of the permit
     * @throws PermitGoneException when the permit was released, detached or lost, or is being detached by another thread
     * @throws IllegalStateException when the permit was granted without Redis, during an outage or by a bulkhead that is
     *         disabled, so that no other process could know it; also when called on an event loop
     * @throws BulkheadUnavailableException when Redis is away or refuses the call
     * @throws BulkheadInterruptedException when the thread is interrupted; the permit is held as before
     * @throws BulkheadContendedException when too many calls compete for the bulkhead
     */
    String detach();

    /**
     * The asynchronous counterpart of {@link #detach()}. The permit is detached when the token is emitted. When the
     * subscription is cancelled before that, the permit is held as before.
     *
     * @return the token; detaches at each subscription
     */
    Uni<String> detachAsync();

    /**
     * Releases the permit without waiting for the reply. The next call of this process finds it free; other processes do as
     * soon as Redis has executed the release, or a message later where idle permits are kept. If Redis does not confirm the
     * release, it is retried in the background until the
     * lease has ended. With {@link SemaphoreSpec#awaitRelease()}, this waits as {@link #release()} does.
     *
     * @throws IllegalStateException when called on an event loop, with {@code awaitRelease}
     */
    @Override
    void close();
}
