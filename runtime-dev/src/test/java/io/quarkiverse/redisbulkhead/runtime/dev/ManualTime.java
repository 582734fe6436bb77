package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** A clock that a test moves, and ticks that follow it. */
final class ManualTime implements InstantSource, Ticks {

    private static final class Tick {

        final Duration period;
        final Runnable task;
        Instant next;

        Tick(Duration period, Runnable task, Instant next) {
            this.period = period;
            this.task = task;
            this.next = next;
        }
    }

    private final List<Tick> ticks = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-21T10:00:00Z");

    @Override
    public Instant instant() {
        return now;
    }

    long nanoTime() {
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    @Override
    public Runnable every(Duration period, Runnable task) {
        Tick tick = new Tick(period, task, now.plus(period));
        ticks.add(tick);
        return () -> ticks.remove(tick);
    }

    boolean isTicking() {
        return !ticks.isEmpty();
    }

    /** Lets time go by in steps of a tenth of a second. */
    void pass(Duration time) {
        Instant end = now.plus(time);
        while (now.isBefore(end)) {
            now = now.plusMillis(100);
            for (Tick tick : List.copyOf(ticks)) {
                if (!now.isBefore(tick.next)) {
                    tick.next = tick.next.plus(tick.period);
                    tick.task.run();
                }
            }
        }
    }
}
