package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.contender.AsynchronousCaller;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;

/** Callers without threads of their own: each begins its next pair when the last one has ended, wherever it is told so. */
public final class AsynchronousCrew implements Crew {

    private final List<AsynchronousCaller> callers;
    private final Runnable execution;

    /**
     * Prepares the callers.
     *
     * @param contender what they use
     * @param size how many there are
     * @param execution what each of them does with its permit
     */
    public AsynchronousCrew(Contender contender, int size, Runnable execution) {
        this.callers = Stream.generate(contender::newAsynchronousCaller).limit(size).toList();
        this.execution = execution;
    }

    @Override
    public Work work(Duration duration) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(callers.size());
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<CallerLoop> loops = callers.stream().map(caller -> new CallerLoop(caller, execution, problem -> {
            failure.compareAndSet(null, problem);
            ended.countDown();
        })).toList();
        long begun = System.nanoTime();
        loops.forEach(CallerLoop::begin);
        Thread.sleep(duration.toMillis());
        loops.forEach(CallerLoop::stop);
        ended.await();
        long nanos = System.nanoTime() - begun;
        if (failure.get() != null) {
            throw Crew.failed(failure.get());
        }
        return Work.of(nanos, loops.stream().map(CallerLoop::latencies).toList());
    }

    @Override
    public void close() {
        // The callers have nothing of their own.
    }
}
