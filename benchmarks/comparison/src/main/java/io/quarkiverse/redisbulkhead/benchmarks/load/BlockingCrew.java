package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BlockingCaller;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;

/** Platform threads, each of which makes one pair after the other. */
public final class BlockingCrew implements Crew {

    private final List<BlockingCaller> callers;
    private final Runnable execution;
    // They outlive each piece of work, so that what they allocated can be asked for.
    private final ExecutorService threads;
    private volatile boolean over;

    /**
     * Prepares the callers.
     *
     * @param contender what they use
     * @param size how many there are
     * @param execution what each of them does with its permit
     */
    public BlockingCrew(Contender contender, int size, Runnable execution) {
        this.callers = Stream.generate(contender::newBlockingCaller).limit(size).toList();
        this.execution = execution;
        this.threads = Executors.newFixedThreadPool(size);
    }

    @Override
    public Work work(Duration duration) throws InterruptedException {
        over = false;
        CountDownLatch begin = new CountDownLatch(1);
        List<Future<Histogram>> work = new ArrayList<>();
        for (BlockingCaller caller : callers) {
            work.add(threads.submit(() -> makePairs(caller, begin)));
        }
        long begun = System.nanoTime();
        begin.countDown();
        Thread.sleep(duration.toMillis());
        over = true;
        List<Histogram> latencies = new ArrayList<>();
        for (Future<Histogram> each : work) {
            latencies.add(outcome(each));
        }
        return Work.of(System.nanoTime() - begun, latencies);
    }

    private static Histogram outcome(Future<Histogram> work) throws InterruptedException {
        try {
            return work.get();
        } catch (ExecutionException e) {
            throw Crew.failed(e.getCause());
        }
    }

    private Histogram makePairs(BlockingCaller caller, CountDownLatch begin) throws Exception {
        Histogram latencies = Work.newHistogram();
        begin.await();
        // At least one pair, however late the thread gets to run.
        do {
            long begun = System.nanoTime();
            caller.pair(execution);
            Work.record(latencies, System.nanoTime() - begun);
        } while (!over);
        return latencies;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        callers.forEach(BlockingCaller::close);
    }
}
