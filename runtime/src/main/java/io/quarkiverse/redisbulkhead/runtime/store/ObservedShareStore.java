package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;

/** A store that reports the duration of its operations. Exceptions of the listener are logged and do not affect the answer. */
public class ObservedShareStore implements ShareStore {

    private static final Logger LOG = Logger.getLogger(ObservedShareStore.class);

    /** The operations of a {@link ShareStore}. */
    public enum Operation {
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
    public interface Listener {

        /**
         * An operation is over.
         *
         * @param operation which one
         * @param time from the request to the answer
         * @param failure what it failed with; null when the store answered
         */
        void done(Operation operation, Duration time, Throwable failure);
    }

    private final ShareStore store;
    private final Listener listener;

    /**
     * Reports the operations of a store.
     *
     * @param store does the work
     * @param listener receives the durations
     */
    public ObservedShareStore(ShareStore store, Listener listener) {
        this.store = store;
        this.listener = listener;
    }

    /**
     * Asks the store, for any operation.
     *
     * @param operation which one
     * @param question asks the store
     * @return the answer
     */
    protected <T> CompletionStage<T> ask(Operation operation, Supplier<CompletionStage<T>> question) {
        long begunAt = System.nanoTime();
        CompletionStage<T> answer = question.get();
        answer.whenComplete((value, failure) -> {
            Duration time = Duration.ofNanos(System.nanoTime() - begunAt);
            try {
                listener.done(operation, time, Failures.cause(failure));
            } catch (RuntimeException | LinkageError e) {
                LOG.errorf(e, "%s failed. %s", listener.getClass().getName(), LogMessage.UNEXPECTED);
            }
        });
        return answer;
    }

    @Override
    public boolean isShared() {
        return store.isShared();
    }

    @Override
    public void whenReady(Runnable task) {
        store.whenReady(task);
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return ask(Operation.SYNC, () -> store.sync(statement));
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return ask(Operation.REVOKE, () -> store.revoke(bulkhead, instance, permitId, permits));
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return ask(limit == 0 ? Operation.RESET_SIZE : Operation.RESIZE, () -> store.resize(bulkhead, limit));
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return ask(Operation.LOOK, () -> store.look(bulkhead, most));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return ask(Operation.IN_USE, () -> store.inUse(most));
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        store.listen(messages);
    }
}
