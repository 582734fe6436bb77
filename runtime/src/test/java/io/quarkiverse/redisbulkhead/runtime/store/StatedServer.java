package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;

/** Any implementation of shares as a server that answers at once, on a clock that the test moves. */
final class StatedServer {

    private final ComparedShares shares;
    private final Map<String, Consumer<ShareMessage>> listeners = new HashMap<>();
    private long micros = 1_700_000_000_000_000L;
    private int run = 1;

    StatedServer(ComparedShares shares) {
        this.shares = shares;
    }

    /** An instance with a limit of two permits. */
    StatedInstance instance(String name) {
        return new StatedInstance(name, new Connection(name));
    }

    void advance(long by) {
        micros += by;
    }

    void setClockBack(long by) {
        micros -= by;
    }

    void changeRunId() {
        run++;
    }

    void loseData() {
        shares.restore(new ComparedShares.Stored(Map.of(), Map.of(), 0, 0));
    }

    ComparedShares.Stored snapshot() {
        return shares.stored();
    }

    void restore(ComparedShares.Stored stored) {
        shares.restore(stored);
    }

    Map<String, String> fields() {
        setTime();
        return shares.stored().fields();
    }

    private void setTime() {
        shares.at(micros, "run" + run);
    }

    @SuppressWarnings("unchecked")
    private <T> CompletionStage<T> answer(Supplier<Object> operation) {
        setTime();
        Object result = operation.get();
        List<ShareMachine.Sent> messages = shares.takeMessages();
        messages.forEach(sent -> listeners.get(sent.instance()).accept(sent.message()));
        return result.equals("refused") ? CompletableFuture.failedStage(new StoreException("refused", false, null))
                : CompletableFuture.completedStage((T) result);
    }

    private final class Connection implements ShareStore {

        private final String instance;

        private Connection(String instance) {
            this.instance = instance;
        }

        @Override
        public void whenReady(Runnable task) {
            task.run();
        }

        @Override
        public CompletionStage<Position> sync(Statement statement) {
            return answer(() -> shares.sync(instance, statement));
        }

        @Override
        public CompletionStage<Integer> revoke(BulkheadId bulkhead, String from, String permitId, int permits) {
            return answer(() -> shares.revoke(from, permitId, permits));
        }

        @Override
        public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
            return answer(() -> shares.resize(limit));
        }

        @Override
        public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
            return answer(() -> shares.look(most));
        }

        @Override
        public void listen(Consumer<ShareMessage> messages) {
            listeners.put(instance, messages);
        }
    }
}
