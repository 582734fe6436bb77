package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockedStep.Progress;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockedStep.Result;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RefusedException;

/**
 * Runs the operations of this process in steps: one step of a bulkhead at a time, and operations that come meanwhile go
 * together in the next one. So the threads of a process never compete for a lock, and the more there is to do, the less each
 * operation costs. Safe for use by many threads.
 */
final class StepQueues {

    /** How many permits a step is about at the most, unless a single operation is about more. */
    private static final int MOST_IDS = 500;

    private final RedisConnectionManager connections;
    private final StepSettings settings;
    private final Function<BulkheadId, StoredBulkhead.Names> names;
    private final BiConsumer<Duration, Runnable> timer;
    private final Consumer<Notice> listener;
    private final ConcurrentHashMap<BulkheadId, StepQueue> queues = new ConcurrentHashMap<>();

    /** What there is to do for one bulkhead; in the map only while there is anything. Guarded by itself. */
    private static final class StepQueue {

        private final BulkheadId bulkhead;
        private final Deque<Operation<?>> pending = new ArrayDeque<>();
        private final Backoff backoff = new Backoff(() -> ThreadLocalRandom.current().nextDouble());
        private boolean begun;
        private boolean over;

        private StepQueue(BulkheadId bulkhead) {
            this.bulkhead = bulkhead;
        }

        /** Whether it was not too late. */
        private synchronized boolean add(Operation<?> operation) {
            return !over && pending.add(operation);
        }

        /** Whether the caller is to begin. */
        private synchronized boolean begin() {
            boolean first = !begun;
            begun = true;
            return first;
        }

        private synchronized List<Operation<?>> nextBatch() {
            List<Operation<?>> batch = new ArrayList<>();
            int ids = 0;
            while (!pending.isEmpty() && (batch.isEmpty() || fits(pending.peek(), ids))) {
                Operation<?> next = pending.poll();
                ids += next.ids().size();
                batch.add(next);
                if (next.isAlone()) {
                    break;
                }
            }
            over = batch.isEmpty();
            return batch;
        }

        private static boolean fits(Operation<?> next, int ids) {
            return !next.isAlone() && ids + next.ids().size() <= MOST_IDS;
        }

        private synchronized void addFirst(List<Operation<?>> operations) {
            for (int i = operations.size() - 1; i >= 0; i--) {
                pending.addFirst(operations.get(i));
            }
        }

        private synchronized boolean hasMore() {
            return !pending.isEmpty();
        }
    }

    /**
     * @param names the names that go with a bulkhead
     * @param timer does something later
     * @param listener told of what a step has found out; never throws
     */
    StepQueues(RedisConnectionManager connections, StepSettings settings, Function<BulkheadId, StoredBulkhead.Names> names,
            BiConsumer<Duration, Runnable> timer,
            Consumer<Notice> listener) {
        this.connections = connections;
        this.settings = settings;
        this.names = names;
        this.timer = timer;
        this.listener = listener;
    }

    /** How many bulkheads there is something to do for. */
    int size() {
        return queues.size();
    }

    /** Does something to a bulkhead. */
    <T> CompletionStage<T> submit(BulkheadId bulkhead, Operation<T> operation) {
        StepQueue queue = queues.computeIfAbsent(bulkhead, StepQueue::new);
        while (!queue.add(operation)) {
            // It has just ended, and leaves the map here or there.
            queues.remove(bulkhead, queue);
            queue = queues.computeIfAbsent(bulkhead, StepQueue::new);
        }
        if (queue.begin()) {
            next(queue);
        }
        return operation.answer().minimalCompletionStage();
    }

    private void next(StepQueue queue) {
        List<Operation<?>> batch = queue.nextBatch();
        if (batch.isEmpty()) {
            queues.remove(queue.bulkhead, queue);
        } else {
            attempt(queue, newStep(queue, batch, false));
        }
    }

    private LockedStep newStep(StepQueue queue, List<Operation<?>> operations, boolean frugal) {
        return new LockedStep(names.apply(queue.bulkhead), settings, operations, frugal);
    }

    private void attempt(StepQueue queue, LockedStep step) {
        connections.send(step).whenComplete((answer, failure) -> {
            if (failure == null) {
                ended(queue, step, answer.value());
            } else {
                failed(queue, step, failure);
            }
        });
    }

    private void ended(StepQueue queue, LockedStep step, Result result) {
        if (result.progress() == Progress.CLEANED) {
            attempt(queue, step);
            return;
        }
        if (result.progress() != Progress.DONE) {
            step.giveUpLate();
            if (step.operations().isEmpty()) {
                next(queue);
            } else {
                timer.accept(queue.backoff.inVain(), () -> attempt(queue, step));
            }
            return;
        }
        result.notices().forEach(listener);
        Duration pause = queue.backoff.succeeded();
        step.operations().forEach(Operation::succeed);
        if (pause.isZero() || !queue.hasMore()) {
            next(queue);
        } else {
            timer.accept(pause, () -> next(queue));
        }
    }

    private void failed(StepQueue queue, LockedStep step, Throwable failure) {
        List<Operation<?>> operations = step.operations();
        boolean memoryIsFull = failure instanceof RefusedException refused && refused.reply().is("OOM");
        if (memoryIsFull && operations.size() > 1) {
            // Some of them need no memory, and shall not suffer for the others.
            operations.forEach(Operation::separate);
            queue.addFirst(operations);
        } else if (memoryIsFull && !step.isFrugal() && operations.get(0).onlyRemoves()) {
            attempt(queue, newStep(queue, operations, true));
            return;
        } else {
            operations.forEach(operation -> operation.fail(failure));
        }
        next(queue);
    }
}
