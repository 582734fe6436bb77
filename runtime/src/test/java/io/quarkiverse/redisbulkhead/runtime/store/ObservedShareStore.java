package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A store in front of another one, for tests that change what it does; reports its statements. */
public class ObservedShareStore implements ShareStore {

    private final ShareStore store;
    private final OperationListener listener;

    public ObservedShareStore(ShareStore store, OperationListener listener) {
        this.store = store;
        this.listener = listener;
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
        CompletionStage<Position> answer = store.sync(statement);
        answer.whenComplete((value, failure) -> listener.done(Operation.SYNC, Duration.ZERO, failure));
        return answer;
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return store.revoke(bulkhead, instance, permitId, permits);
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return store.resize(bulkhead, limit);
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return store.look(bulkhead, most);
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return store.inUse(most);
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        store.listen(messages);
    }
}
