package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that the test moves. */
class ManualTimers implements Timers {

    private record Task(long at, Runnable body) {
    }

    private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::at));
    private long now;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Planned after(Duration delay, Runnable body) {
        Task task = new Task(now + delay.toNanos(), body);
        tasks.add(task);
        return () -> tasks.removeIf(planned -> planned == task);
    }

    void advance(Duration time) {
        long end = now + time.toNanos();
        while (!tasks.isEmpty() && tasks.peek().at() <= end) {
            Task due = tasks.poll();
            now = Math.max(now, due.at());
            due.body().run();
        }
        now = end;
    }

    /** Time passes while the process stands still: no task runs. */
    void jump(Duration time) {
        now += time.toNanos();
    }

    int planned() {
        return tasks.size();
    }
}
