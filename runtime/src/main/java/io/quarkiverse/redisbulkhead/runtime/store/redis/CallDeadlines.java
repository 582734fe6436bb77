package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Consumer;

import io.vertx.core.Vertx;

/**
 * Gives calls up when their time is over. They stand in a queue in the order of their deadlines, and one timer serves
 * them all. While no call is under way no timer runs.
 * <p>
 * Everything happens on the context of the {@link RedisLink}, except where it says otherwise.
 */
final class CallDeadlines {

    private static final long LONGEST_SWEEP_MILLIS = 50;

    private final Vertx vertx;
    private final Duration timeout;
    private final long sweepMillis;
    private final Consumer<RedisSession> onSilence;
    // Values of the nano clock are compared by their distance from one of them.
    private final long created = System.nanoTime();
    private final Queue<PendingCall<?>> watched = new PriorityQueue<>(
            Comparator.comparingLong(call -> call.deadlineNanos - created));
    private boolean sweeping;

    /**
     * @param timeout after what time a call is given up
     * @param onSilence told over which connection an answer is missing
     */
    CallDeadlines(Vertx vertx, Duration timeout, Consumer<RedisSession> onSilence) {
        this.vertx = vertx;
        this.timeout = timeout;
        this.sweepMillis = Math.max(1, Math.min(LONGEST_SWEEP_MILLIS, timeout.toMillis() / 20));
        this.onSilence = onSilence;
    }

    /**
     * The deadline of a call that comes now. May be called from any thread.
     *
     * @param waited for how long its caller has waited already
     */
    long next(Duration waited) {
        return System.nanoTime() + timeout.minus(waited).toNanos();
    }

    void watch(PendingCall<?> call) {
        forgetAnswered();
        watched.add(call);
        if (!sweeping) {
            sweeping = true;
            sweepLater();
        }
    }

    /** Gives up all calls that are under way. */
    void giveUpAll(String reason) {
        List.copyOf(watched).forEach(call -> call.fail(reason, null));
        watched.clear();
    }

    private void sweepLater() {
        vertx.setTimer(sweepMillis, timer -> {
            giveUpExpired();
            sweeping = !watched.isEmpty();
            if (sweeping) {
                sweepLater();
            }
        });
    }

    private void giveUpExpired() {
        forgetAnswered();
        long now = System.nanoTime();
        while (!watched.isEmpty() && watched.peek().isExpired(now)) {
            PendingCall<?> oldest = watched.poll();
            boolean gaveUp = oldest.fail("Redis did not answer within " + timeout.toMillis()
                    + " ms (quarkus.redis-bulkhead.command-timeout)", null);
            RedisSession silent = oldest.sentOver();
            if (gaveUp && silent != null) {
                onSilence.accept(silent);
            }
            forgetAnswered();
        }
    }

    private void forgetAnswered() {
        while (!watched.isEmpty() && watched.peek().answer.isDone()) {
            watched.poll();
        }
    }
}
