package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Timers;
import io.vertx.core.Vertx;

/** Time by Vert.x. */
record VertxTimers(Vertx vertx) implements Timers {

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void after(Duration delay, Runnable task) {
        vertx.setTimer(Math.max(1, delay.toMillis()), timer -> task.run());
    }
}
