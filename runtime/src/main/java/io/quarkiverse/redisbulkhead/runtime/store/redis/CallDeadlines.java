package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.vertx.core.Vertx;

/**
 * Gives calls up when their time is over. They stand in a queue in the order of their deadlines, and one timer serves
 * them all. While no call is under way no timer runs.
 * <p>
 * Everything happens on the context of the {@link RedisLink}, except where it says otherwise.
 */
final class CallDeadlines {

    private static final long LONGEST_SWEEP_MILLIS = 50;
    private static final int MOST_TIMEOUTS_UNSENT = 10;

    private final Vertx vertx;
    private final Duration timeout;
    private final long sweepMillis;
    private final LongSupplier answeredNanos;
    private final Consumer<RedisSession> onSilence;
    // Values of the nano clock are compared by their distance from one of them.
    private final long created = System.nanoTime();
    private final Queue<Watched> watched = new PriorityQueue<>(
            Comparator.comparingLong(entry -> entry.dueNanos() - created));
    private boolean sweeping;

    /**
     * A call, and when it is to be looked at; by then it may have got more time.
     */
    private record Watched(PendingCall<?> call, long dueNanos) {
    }

    /**
     * @param timeout after what time without a sign of life a call is given up
     * @param answeredNanos when the last answer came, to whatever call
     * @param onSilence told over which connection an answer is missing
     */
    CallDeadlines(Vertx vertx, Duration timeout, LongSupplier answeredNanos, Consumer<RedisSession> onSilence) {
        this.vertx = vertx;
        this.timeout = timeout;
        this.answeredNanos = answeredNanos;
        this.sweepMillis = Math.max(1, Math.min(LONGEST_SWEEP_MILLIS, timeout.toMillis() / 20));
        this.onSilence = onSilence;
    }

    /** Whether somebody who has waited so long already has no time left. */
    boolean isOver(Duration waited) {
        return waited.compareTo(timeout) >= 0;
    }

    /** Gives a call up that has no time left. */
    boolean giveUp(PendingCall<?> call) {
        return call.fail("Redis did not answer within " + timeout.toMillis() + " ms (quarkus.redis-bulkhead.command-timeout)",
                null);
    }

    void watch(PendingCall<?> call) {
        forgetAnswered();
        watched.add(new Watched(call, dueNanos(call)));
        if (!sweeping) {
            sweeping = true;
            sweepLater();
        }
    }

    // Answers to others keep a call that waits behind them alive, but not for ever: it may be that more come than go.
    private long dueNanos(PendingCall<?> call) {
        long due = call.silentSinceNanos(answeredNanos.getAsLong()) + timeout.toNanos();
        return call.sentOver() == null && due - lastNanos(call) > 0 ? lastNanos(call) : due;
    }

    private long lastNanos(PendingCall<?> call) {
        return call.beganNanos() + MOST_TIMEOUTS_UNSENT * timeout.toNanos();
    }

    /** Gives up all calls that are under way. */
    void giveUpAll(String reason) {
        List.copyOf(watched).forEach(entry -> entry.call().fail(reason, null));
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
        while (!watched.isEmpty() && now - watched.peek().dueNanos() >= 0) {
            PendingCall<?> call = watched.poll().call();
            long due = dueNanos(call);
            if (now - due < 0) {
                watched.add(new Watched(call, due));
            } else if (call.sentOver() == null && due == lastNanos(call)) {
                call.fail("Redis answers, but more slowly than calls come: this one was not sent for "
                        + Duration.ofNanos(now - call.beganNanos()).toMillis() + " ms", null);
            } else if (giveUp(call) && call.sentOver() != null && isLong(now - call.sentAtNanos())) {
                onSilence.accept(call.sentOver());
            }
            forgetAnswered();
        }
    }

    // A call may have lost its time before it was sent over this connection, of which it then tells nothing.
    private boolean isLong(long silentNanos) {
        return 2 * silentNanos >= timeout.toNanos();
    }

    private void forgetAnswered() {
        while (!watched.isEmpty() && watched.peek().call().answer.isDone()) {
            watched.poll();
        }
    }
}
