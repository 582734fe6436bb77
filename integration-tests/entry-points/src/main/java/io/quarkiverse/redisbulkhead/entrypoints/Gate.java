package io.quarkiverse.redisbulkhead.entrypoints;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Singleton;

import io.smallrye.mutiny.Uni;

/**
 * Blocks the executions that reach it until it is opened. It is no test class, because Quarkus takes the version of Java from
 * the first class of the application itself.
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

    /** How many wait here. */
    int inside() {
        return inside.get();
    }

    /** Waits here and tells on what thread. */
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

    /** Waits here without a thread and tells from what thread it came. */
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
