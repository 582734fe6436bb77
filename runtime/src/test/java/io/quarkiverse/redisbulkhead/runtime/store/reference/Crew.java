package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Caller;
import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Member;

/** Threads that run the same loop for some time. */
final class Crew implements AutoCloseable {

    private final List<Caller> callers = new ArrayList<>();
    private final int limit;

    Crew(int limit) {
        this.limit = limit;
    }

    /** Adds a thread and connects it. */
    void add(Member member) {
        callers.add(member.newCaller());
    }

    /** Runs all threads for the duration and sums up their figures. */
    LoadFigures run(Duration duration, Supplier<Observer> observers) {
        List<CallerLoop> loops = callers.stream().map(caller -> new CallerLoop(caller, observers.get(), limit)).toList();
        ExecutorService threads = Executors.newFixedThreadPool(loops.size());
        try {
            long end = System.nanoTime() + duration.toNanos();
            List<CompletableFuture<LoadFigures>> runs = loops.stream()
                    .map(loop -> CompletableFuture.supplyAsync(() -> loop.runUntil(end), threads)).toList();
            LoadFigures sum = LoadFigures.NONE;
            for (CompletableFuture<LoadFigures> run : runs) {
                sum = sum.plus(run.get(duration.toMillis() + 240_000, TimeUnit.MILLISECONDS));
            }
            return sum;
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    @Override
    public void close() {
        callers.forEach(Caller::close);
    }
}
