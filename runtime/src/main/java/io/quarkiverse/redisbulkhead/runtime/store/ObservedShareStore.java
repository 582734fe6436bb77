package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

/** A store that reports the duration of its operations. Exceptions of the listener are logged and do not affect the answer. */
public class ObservedShareStore implements ShareStore {

    private static final Logger LOG = Logger.getLogger(ObservedShareStore.class);

    private final ShareStore store;
    private final StoreListener listener;

    /**
     * Reports the operations of a store.
     *
     * @param store does the work
     * @param listener receives the durations
     */
    public ObservedShareStore(ShareStore store, StoreListener listener) {
        this.store = store;
        this.listener = listener;
    }

    private <T> CompletionStage<T> observed(StoreOperation operation, long begunAt, CompletionStage<T> answer) {
        answer.whenComplete((value, failure) -> {
            Duration time = Duration.ofNanos(System.nanoTime() - begunAt);
            try {
                listener.done(operation, time, Failures.cause(failure));
            } catch (RuntimeException | LinkageError e) {
                LOG.errorf(e, "%s failed", listener.getClass().getName());
            }
        });
        return answer;
    }

    @Override
    public void whenReady(Runnable task) {
        store.whenReady(task);
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return observed(StoreOperation.SYNC, System.nanoTime(), store.sync(statement));
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return observed(StoreOperation.REVOKE, System.nanoTime(), store.revoke(bulkhead, instance, permitId, permits));
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return observed(limit == 0 ? StoreOperation.RESET_SIZE : StoreOperation.RESIZE, System.nanoTime(),
                store.resize(bulkhead, limit));
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return observed(StoreOperation.LOOK, System.nanoTime(), store.look(bulkhead, most));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most, Set<BulkheadId> known) {
        return observed(StoreOperation.IN_USE, System.nanoTime(), store.inUse(most, known));
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        store.listen(messages);
    }
}
