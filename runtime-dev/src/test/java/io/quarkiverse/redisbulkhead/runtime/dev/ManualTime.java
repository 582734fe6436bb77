package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;

/** A clock that a test advances, with a tick for each second of it. */
final class ManualTime implements InstantSource {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private static final class Timer {

        final MultiEmitter<? super Instant> emitter;
        Instant next;

        Timer(MultiEmitter<? super Instant> emitter, Instant next) {
            this.emitter = emitter;
            this.next = next;
        }
    }

    private final List<Timer> timers = new CopyOnWriteArrayList<>();
    private Instant now = Instant.parse("2026-11-21T10:00:00Z");

    @Override
    public Instant instant() {
        return now;
    }

    long nanoTime() {
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    Multi<Instant> ticks() {
        return Multi.createFrom().emitter(emitter -> {
            Timer timer = new Timer(emitter, now.plus(PERIOD));
            timers.add(timer);
            emitter.onTermination(() -> timers.remove(timer));
        });
    }

    boolean isTicking() {
        return !timers.isEmpty();
    }

    /** Advances the time in steps of a tenth of a second. */
    void pass(Duration time) {
        Instant end = now.plus(time);
        while (now.isBefore(end)) {
            now = now.plusMillis(100);
            for (Timer timer : List.copyOf(timers)) {
                if (!now.isBefore(timer.next)) {
                    timer.next = timer.next.plus(PERIOD);
                    timer.emitter.emit(now);
                }
            }
        }
    }
}
