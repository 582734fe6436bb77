package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.quarkiverse.redisbulkhead.RedisSemaphore;

/**
 * Where shares live. Knows instances, not calls. Every method is one atomic step, by the clock of the store.
 * <p>
 * All methods are asynchronous, may be called from any thread and never block. Stages complete on a thread of the store; do not
 * block it. Failures come through the stage as {@link StoreException}. A store never sends anything twice:
 * the instance repeats its statement.
 */
public interface ShareStore {

    /** How long an offer lives after the statement on which it is based; see {@link ShareMessage.Granted}. */
    long OFFER_MILLIS = 3_000;

    /** How long the calls of an instance keep their places in the queue without a new statement. */
    long WAITER_MILLIS = 3_000;

    /** How long nothing new is granted after a new run of the server, unless all instances have stated their position. */
    long GRACE_MILLIS = 2_000;

    /** For how long after an unmet need no other instance may keep permits. */
    long UNMET_MILLIS = 1_000;

    /** The interval between two recalls while a need is unmet. */
    long RECALL_MILLIS = 200;

    /** An instance that has not answered a recall for so long is no longer expected to answer. */
    long DEAF_MILLIS = 1_000;

    /** For how long an instance rejects calls by itself, at least, after an answer that the bulkhead is full. */
    long FULL_MILLIS = 10;

    /** How many instances ask in a millisecond whether a full bulkhead is still full: a tenth of what a server can do. */
    int ASKING_PER_MILLI = 2;

    /** How long a declared limit is listed, so that instances that declare different ones are found. */
    long DECLARED_MILLIS = 60_000;

    /** How many holders or waiters a list has at most. */
    int MAX_LISTED = RedisSemaphore.MAX_HOLDERS;

    /** With more instances than that, none may keep permits. */
    int MOST_KEEPERS = 64;

    /** Whether other instances use this store, too, so that permits that are idle here may be missing there. */
    default boolean isShared() {
        return true;
    }

    /**
     * Runs a task when the store can send. A statement that is built then, and not when something happened, contains all that
     * happened meanwhile.
     *
     * @param task must not block
     */
    void whenReady(Runnable task);

    /**
     * States a position.
     *
     * @param statement the position
     * @return the position that the store has; fails with a {@link StoreException}
     */
    CompletionStage<Position> sync(Statement statement);

    /**
     * Takes permits away from an instance, or a permit that no instance holds, and sends {@link ShareMessage.Changed}.
     *
     * @param bulkhead the bulkhead
     * @param instance the instance; empty for a permit in the name of no instance
     * @param permitId the permit that no instance holds; empty for permits of an instance
     * @param permits how many permits of the instance
     * @return how many permits were taken away
     */
    CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits);

    /**
     * Sets the limit for all instances.
     *
     * @param bulkhead the bulkhead
     * @param limit at least 1; 0 to undo
     * @return whether a limit was set before
     */
    CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit);

    /**
     * Reads the shares and the queue.
     *
     * @param bulkhead the bulkhead
     * @param most how many instances to list at most
     * @return the state at one instant
     */
    CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most);

    /**
     * Lists the bulkheads and keys that any instance uses. Scans everything that the store keeps, so it is not for each call.
     *
     * @param most how many to list, at least 0
     * @return those that are, or were a moment ago; keys that the store does not keep because they are long only if this
     *         instance has used them
     */
    default CompletionStage<BulkheadsInUse> inUse(int most) {
        return CompletableFuture.completedFuture(BulkheadsInUse.unknown("Only the bulkheads of this instance are listed"));
    }

    /**
     * Sets the listener. Called once, before anything else.
     *
     * @param messages called on a thread of the store; must not block
     */
    void listen(Consumer<ShareMessage> messages);

    /**
     * The other instances that use a {@link ShareStore}: instances answer each other what the store does not know. Thread-safe.
     */
    interface Peers {

        /** The name of this instance in the store. */
        String ownName();

        /**
         * Asks other instances.
         *
         * @param instances their names in the store
         * @param request a short text
         * @return the answers by instance, after 250 ms at most; those that did not answer are missing. Never fails. The texts
         *         may be forged by a client that may send messages
         */
        CompletionStage<Map<String, String>> ask(Collection<String> instances, String request);

        /**
         * Sets who answers the requests of other instances. Called once, before anything else.
         *
         * @param answers called on a thread of the store; must not block
         */
        void answerWith(Function<String, CompletionStage<String>> answers);
    }

    /**
     * Receives what concerns all bulkheads of an instance together. Called on a thread of the store, in the order of the
     * events; must not block.
     */
    interface ConnectionListener {

        /**
         * Another server, or another run of the server, may have the data, or messages may have been lost: bulkheads in use
         * state their positions.
         *
         * @param which the bulkheads for which that is so
         */
        default void reconnected(Predicate<BulkheadId> which) {
        }

        /** The same for all bulkheads. */
        default void reconnected() {
            reconnected(bulkhead -> true);
        }

        /**
         * A server has become unavailable, or available again: calls that wait check whether the policy for outages applies.
         */
        default void availabilityChanged() {
        }

        /**
         * Whether messages arrive has changed.
         *
         * @param hears {@code false}: recalls may be lost, so the instance keeps no idle permits
         */
        default void hearsRecalls(boolean hears) {
        }
    }

    /** What a store does. */
    enum Operation {
        /** {@link ShareStore#sync}. */
        SYNC,
        /** {@link ShareStore#look}. */
        LOOK,
        /** {@link ShareStore#revoke}. */
        REVOKE,
        /** {@link ShareStore#resize}. */
        RESIZE,
        /** {@link ShareStore#resize} with 0. */
        RESET_SIZE,
        /** {@link ShareStore#inUse}. */
        IN_USE
    }

    /** Receives the duration of operations. Must not block. */
    @FunctionalInterface
    interface OperationListener {

        /**
         * An operation is over.
         *
         * @param operation which one
         * @param time from the request to the answer
         * @param failure what it failed with; null when the store answered
         */
        void done(Operation operation, Duration time, Throwable failure);
    }

    /**
     * The bulkheads, and the keys of bulkheads, with holders in any application.
     *
     * @param bulkheads in order; some may be empty by now
     * @param keysWithoutText by the name of a bulkhead, how many more of its keys are in use whose texts the store does not
     *        keep, because they are long
     * @param incomplete why there may be more; empty when these are all
     */
    record BulkheadsInUse(List<BulkheadId> bulkheads, Map<String, Integer> keysWithoutText, Optional<String> incomplete) {

        /** Copies the values. */
        public BulkheadsInUse {
            bulkheads = List.copyOf(bulkheads);
            keysWithoutText = Map.copyOf(keysWithoutText);
        }

        /**
         * The answer of a store that does not know.
         *
         * @param why the reason
         */
        public static BulkheadsInUse unknown(String why) {
            return new BulkheadsInUse(List.of(), Map.of(), Optional.of(why));
        }
    }
}
