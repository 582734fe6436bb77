package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BlockingCaller;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;

/** Platform threads, each of which makes one pair after the other. */
public final class BlockingCrew implements Crew {

    // After this time, those that have begun their first pair wait for a permit.
    private static final long UNTIL_ALL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final List<BlockingCaller> callers;
    private final Runnable execution;
    // They outlive each piece of work, so that what they allocated can be asked for.
    private final ExecutorService threads;
    // Zero for no pause.
    private final long nanosBetweenPairs;
    // Whether all callers but those with a permit wait when the work begins.
    private final boolean crowded;
    private final AtomicLong nextPair = new AtomicLong();
    private volatile CountDownLatch unbegun;
    private volatile boolean over;

    /**
     * Prepares callers that begin the next pair when the last one has ended.
     *
     * @param contender what they use
     * @param size how many there are
     * @param execution what each of them does with its permit
     */
    public BlockingCrew(Contender contender, int size, Runnable execution) {
        this(contender::newBlockingCaller, size, execution);
    }

    /** The same, with callers that are made in another way. */
    public BlockingCrew(Supplier<BlockingCaller> callers, int size, Runnable execution) {
        this(callers, size, execution, 0, false);
    }

    private BlockingCrew(Supplier<BlockingCaller> callers, int size, Runnable execution, long nanosBetweenPairs,
            boolean crowded) {
        this.callers = Stream.generate(callers).limit(size).toList();
        this.execution = execution;
        this.nanosBetweenPairs = nanosBetweenPairs;
        this.crowded = crowded;
        this.threads = Executors.newFixedThreadPool(size);
    }

    /**
     * Prepares callers that together make so many pairs, but no more.
     *
     * @param contender what they use
     * @param size how many there are
     * @param pairsPerSecond how many pairs they begin
     */
    public static BlockingCrew paced(Contender contender, int size, int pairsPerSecond) {
        return new BlockingCrew(contender::newBlockingCaller, size, () -> {
        }, TimeUnit.SECONDS.toNanos(1) / pairsPerSecond, false);
    }

    /**
     * Prepares callers that all wait when the work begins, except for those that have a permit. Otherwise contenders would
     * begin in different states. Callers of Redis form a queue while they wait for the first answer, and a queue that has
     * formed stays. With empty executions and few cores, callers of a store in this process hardly ever form one.
     *
     * @param contender what they use
     * @param size how many there are, more than there are permits
     */
    public static BlockingCrew crowded(Contender contender, int size) {
        return new BlockingCrew(contender::newBlockingCaller, size, () -> {
        }, 0, true);
    }

    @Override
    public Work work(Duration duration) throws InterruptedException {
        over = false;
        nextPair.set(System.nanoTime());
        unbegun = new CountDownLatch(crowded ? callers.size() : 0);
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
        Runnable held = this::execute;
        begin.await();
        unbegun.countDown();
        // At least one pair, however late the thread gets to run.
        do {
            awaitTurn();
            long begun = System.nanoTime();
            caller.pair(held);
            Work.record(latencies, System.nanoTime() - begun);
        } while (!over);
        return latencies;
    }

    private void execute() {
        execution.run();
        while (unbegun.getCount() > 0) {
            LockSupport.parkNanos(UNTIL_ALL_WAIT_NANOS);
        }
    }

    private void awaitTurn() {
        if (nanosBetweenPairs > 0) {
            long turn = nextPair.getAndAdd(nanosBetweenPairs);
            for (long left = turn - System.nanoTime(); left > 0; left = turn - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        callers.forEach(BlockingCaller::close);
    }
}
