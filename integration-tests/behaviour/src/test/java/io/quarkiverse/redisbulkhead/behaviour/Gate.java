package io.quarkiverse.redisbulkhead.behaviour;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Singleton;

import io.smallrye.mutiny.Uni;

/** Blocks executions until the test opens it. */
@Singleton
public class Gate {

    private final AtomicInteger inside = new AtomicInteger();
    private volatile CompletableFuture<String> end = CompletableFuture.completedFuture("passed");

    void shut() {
        end = new CompletableFuture<>();
    }

    void open() {
        end.complete("passed");
    }

    int inside() {
        return inside.get();
    }

    String pass() {
        inside.incrementAndGet();
        try {
            return end.get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the gate was not opened in time", e);
        } finally {
            inside.decrementAndGet();
        }
    }

    Uni<String> passLater() {
        inside.incrementAndGet();
        return Uni.createFrom().completionStage(end).onTermination().invoke(inside::decrementAndGet);
    }
}
