package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;

/**
 * Time by an event loop of Vert.x. Not by Vert.x's own timers: those make a context for each thread that is not one of
 * Vert.x's.
 */
public final class VertxTimers implements Timers {

    private static final Planned NOTHING = () -> {
    };

    private final EventLoop loop;

    /**
     * Takes one of the event loops.
     *
     * @param vertx has them
     */
    public VertxTimers(Vertx vertx) {
        this.loop = ((VertxInternal) vertx).getEventLoopGroup().next();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Planned after(Duration delay, Runnable task) {
        try {
            Future<?> planned = loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> planned.cancel(false);
        } catch (RejectedExecutionException e) {
            // Vert.x has been closed: the application has stopped, and nothing is to be done later.
            return NOTHING;
        }
    }
}
