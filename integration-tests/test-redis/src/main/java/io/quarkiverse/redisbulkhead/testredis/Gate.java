package io.quarkiverse.redisbulkhead.testredis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Blocks executions until the test opens it: one gate for the application and the test, which run in one process. */
public final class Gate {

    private static final AtomicInteger INSIDE = new AtomicInteger();
    private static volatile CompletableFuture<String> end = CompletableFuture.completedFuture("passed");

    private Gate() {
    }

    public static void shut() {
        end = new CompletableFuture<>();
    }

    public static void open() {
        end.complete("passed");
    }

    /** The number of blocked executions. */
    public static int inside() {
        return INSIDE.get();
    }

    public static String pass() {
        INSIDE.incrementAndGet();
        try {
            return end.get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("The gate was not opened in time", e);
        } finally {
            INSIDE.decrementAndGet();
        }
    }

    /** Waits without blocking. */
    public static CompletionStage<String> passLater() {
        INSIDE.incrementAndGet();
        return end.whenComplete((passed, failure) -> INSIDE.decrementAndGet());
    }
}
