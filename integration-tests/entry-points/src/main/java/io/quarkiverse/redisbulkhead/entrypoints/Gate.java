package io.quarkiverse.redisbulkhead.entrypoints;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Singleton;

import io.smallrye.mutiny.Uni;

/**
 * Blocks executions until the test opens it. Not a test class, because Quarkus takes the Java version from the first class
 * of the application itself.
 */
@Singleton
public class Gate {

    private final AtomicInteger inside = new AtomicInteger();
    private volatile CompletableFuture<Void> end = CompletableFuture.completedFuture(null);

    void shut() {
        end = new CompletableFuture<>();
    }

    void open() {
        end.complete(null);
    }

    int inside() {
        return inside.get();
    }

    /** Blocks; returns the thread. */
    public String pass() {
        inside.incrementAndGet();
        try {
            end.get(60, TimeUnit.SECONDS);
            return thread();
        } catch (Exception e) {
            throw new IllegalStateException("the gate was not opened in time", e);
        } finally {
            inside.decrementAndGet();
        }
    }

    /** Waits without blocking; returns the calling thread. */
    Uni<String> passLater() {
        String thread = thread();
        inside.incrementAndGet();
        return Uni.createFrom().completionStage(end).onTermination().invoke(inside::decrementAndGet).replaceWith(thread);
    }

    private static String thread() {
        Thread thread = Thread.currentThread();
        if (thread.getClass().getSimpleName().equals("VirtualThread")) {
            return "virtual thread";
        }
        return thread.getName().startsWith("vert.x-eventloop") ? "event loop" : "worker";
    }
}
