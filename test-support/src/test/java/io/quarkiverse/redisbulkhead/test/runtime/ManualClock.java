package io.quarkiverse.redisbulkhead.test.runtime;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;

/** A clock that the test advances. */
final class ManualClock implements Timers {

    private record Task(long at, int order, Runnable body) {
    }

    private final PriorityQueue<Task> tasks = new PriorityQueue<>(
            Comparator.comparingLong(Task::at).thenComparingInt(Task::order));
    private long now;
    private int planned;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Planned after(Duration delay, Runnable body) {
        Task task = new Task(now + delay.toNanos(), planned++, body);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    void advance(Duration time) {
        long end = now + time.toNanos();
        while (!tasks.isEmpty() && tasks.peek().at() <= end) {
            Task due = tasks.poll();
            now = due.at();
            due.body().run();
        }
        now = end;
    }
}
