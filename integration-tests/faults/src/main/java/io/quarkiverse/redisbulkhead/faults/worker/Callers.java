package io.quarkiverse.redisbulkhead.faults.worker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.smallrye.mutiny.Uni;

/** Callers that call one bulkhead in a loop until they are stopped. */
final class Callers {

    // How long a rejected caller pauses.
    private static final long GAP_MILLIS = 10;

    private final GuardedWork work;
    private final ObserverLink observer;
    private final ScheduledExecutorService timers;
    private final ExecutorService threads;
    private final String method;
    private final long holdMillis;
    private final int keys;
    private volatile boolean stopped;

    /** With the time of each execution and the number of keys, 0 for none. */
    Callers(GuardedWork work, ObserverLink observer, ScheduledExecutorService timers, ExecutorService threads, String method,
            long holdMillis, int keys) {
        this.work = work;
        this.observer = observer;
        this.timers = timers;
        this.threads = threads;
        this.method = method;
        this.holdMillis = holdMillis;
        this.keys = keys;
    }

    /** Starts one caller; the stage completes when it has stopped. */
    CompletableFuture<Void> start(boolean asynchronous) {
        if (!asynchronous) {
            return CompletableFuture.runAsync(this::callOnAThread, threads);
        }
        CompletableFuture<Void> end = new CompletableFuture<>();
        callAgain(end);
        return end;
    }

    void stop() {
        stopped = true;
    }

    private void callOnAThread() {
        while (!stopped) {
            try {
                work.call(execution());
            } catch (RuntimeException | Error e) {
                report(e);
                after(GAP_MILLIS).join();
            }
        }
    }

    // Each call starts in its own task. A stage that waited for the next call would chain all later ones, without end.
    private void callAgain(CompletableFuture<Void> end) {
        if (stopped) {
            end.complete(null);
            return;
        }
        Uni.createFrom().deferred(() -> work.callAsync(execution())).subscribe().with(
                done -> callAgainAfter(0, end),
                failure -> {
                    report(failure);
                    callAgainAfter(GAP_MILLIS, end);
                });
    }

    private void callAgainAfter(long millis, CompletableFuture<Void> end) {
        timers.schedule(() -> callAgain(end), millis, TimeUnit.MILLISECONDS);
    }

    private Execution execution() {
        String key = keys == 0 ? ObserverLink.NOTHING : "k" + ThreadLocalRandom.current().nextInt(keys);
        return new Execution(observer, method, key, permit -> after(holdMillis));
    }

    private CompletableFuture<Void> after(long millis) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        timers.schedule(() -> over.complete(null), millis, TimeUnit.MILLISECONDS);
        return over;
    }

    private void report(Throwable failure) {
        observer.rejected(GuardedWork.bulkhead(method), failure);
    }
}
