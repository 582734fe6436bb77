package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.vertx.core.Vertx;

/**
 * Gives commands up when their time is over. All have the same timeout, so they stand in a queue in the order of their
 * deadlines,
 * and one timer serves them all. While no command is under way no timer runs.
 */
final class CommandDeadlines {

    private static final long LONGEST_SWEEP_MILLIS = 50;

    private final Vertx vertx;
    private final Duration timeout;
    private final long sweepMillis;
    private final Consumer<RedisSession> onSilence;
    private final ConcurrentLinkedQueue<PendingCommand> unanswered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /**
     * @param timeout after what time a command is given up
     * @param onSilence told over which connection an answer is missing
     */
    CommandDeadlines(Vertx vertx, Duration timeout, Consumer<RedisSession> onSilence) {
        this.vertx = vertx;
        this.timeout = timeout;
        this.sweepMillis = Math.max(1, Math.min(LONGEST_SWEEP_MILLIS, timeout.toMillis() / 20));
        this.onSilence = onSilence;
    }

    /** Takes a call in; its time begins now. */
    PendingCommand begin(ScriptCall call) {
        PendingCommand command = new PendingCommand(call, System.nanoTime() + timeout.toNanos());
        unanswered.add(command);
        command.answer.whenComplete((answer, failure) -> unanswered.remove(command));
        sweepLater();
        return command;
    }

    /** Gives up all commands that are under way. */
    void giveUpAll(String reason) {
        unanswered.forEach(command -> command.fail(reason, null));
    }

    private void sweepLater() {
        if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
            vertx.setTimer(sweepMillis, timer -> {
                giveUpExpired();
                sweeping.set(false);
                // Whoever came between the last look and the line above saw a sweep that had already ended.
                if (!unanswered.isEmpty()) {
                    sweepLater();
                }
            });
        }
    }

    private void giveUpExpired() {
        long now = System.nanoTime();
        for (PendingCommand oldest = unanswered.peek(); oldest != null && oldest.isExpired(now); oldest = unanswered.peek()) {
            unanswered.remove(oldest);
            boolean gaveUp = oldest.fail("Redis did not answer within " + timeout.toMillis()
                    + " ms (quarkus.redis-bulkhead.command-timeout)", null);
            RedisSession silent = oldest.sentOver();
            if (gaveUp && silent != null) {
                onSilence.accept(silent);
            }
        }
    }
}
