package io.quarkiverse.redisbulkhead;

import java.util.Optional;

/**
 * The permits of the guarded method that is being called. Inject it.
 *
 * <pre>{@code
 * @RedisBulkhead(name = "ledger", permits = 1)
 * void post(Entry entry) {
 *     long token = currentPermit.get().fencingToken();
 *     // update ledger set ..., token = :token where id = :id and token <= :token
 * }
 * }</pre>
 *
 * The permits are bound to the thread that calls the method, until the method returns. A method that returns a {@code Uni}, a
 * {@code CompletionStage} or a {@code Multi} must get its permit before it returns; the permit itself stays valid until the
 * asynchronous execution ends.
 */
public interface CurrentPermit {

    /**
     * The permit of the innermost guarded method; if that has several bulkheads, the permit that was acquired last.
     *
     * @return never null
     * @throws IllegalStateException when no guarded method is being called on this thread
     */
    Permit get();

    /**
     * The innermost permit of a bulkhead.
     *
     * @param bulkhead the bulkhead's name, not null
     * @return empty when no method that this thread is calling holds one
     * @throws IllegalArgumentException when it is null
     */
    Optional<Permit> find(String bulkhead);
}
