package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.overview.SharedReading;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;

/**
 * One look at Redis each second, for however many pages are open, and none when there is no page. Safe for use by many
 * threads.
 * <p>
 * The Dev UI does not tell when a browser is closed: its router keeps the subscription. So each subscription ends by itself
 * after {@value #LASTS_TICKS} seconds, and pages subscribe again before that.
 */
final class LiveFeed {

    /** How often Redis is looked at. */
    static final Duration PERIOD = Duration.ofSeconds(1);

    /** After how many periods a subscription ends. */
    static final int LASTS_TICKS = 10;

    private final SharedReading<Seen> reading;
    private final Ticks ticks;
    private final InstantSource clock;

    // All below, and what is emitted, under the lock of this.
    private final List<Page> pages = new ArrayList<>();
    private final UseHistory history = new UseHistory();
    private Optional<Snapshot> snapshot = Optional.empty();
    private Optional<Seen> latest = Optional.empty();
    private Runnable stopTicks;

    /**
     * Does nothing yet.
     *
     * @param source looks at Redis
     * @param ticks calls once a period
     * @param clock the time
     * @param nanoTime a clock for intervals
     */
    LiveFeed(Supplier<CompletionStage<Snapshot>> source, Ticks ticks, InstantSource clock, LongSupplier nanoTime) {
        this.reading = new SharedReading<>(() -> source.get().handle(this::show), PERIOD, nanoTime);
        this.ticks = ticks;
        this.clock = clock;
    }

    private static final class Page {

        final MultiEmitter<? super Seen> emitter;
        int ticksLeft = LASTS_TICKS;
        Seen shown;

        Page(MultiEmitter<? super Seen> emitter) {
            this.emitter = emitter;
        }

        void show(Seen seen) {
            if (shown != seen) {
                shown = seen;
                emitter.emit(seen);
            }
        }
    }

    /**
     * The state, at once where it is known, and then once a period. When Redis is away, the last state with the error.
     *
     * @return completes after {@value #LASTS_TICKS} periods
     */
    Multi<Seen> states() {
        return Multi.createFrom().<Seen> emitter(this::open, BackPressureStrategy.LATEST);
    }

    /**
     * The state now: not older than a period, nor than what was told to {@link #forget()}.
     *
     * @return the state; where Redis is away, the last one with the error
     */
    Uni<Seen> now() {
        return Uni.createFrom().completionStage(reading::get);
    }

    /**
     * As {@link #now()}, for those for whom the last state is not enough.
     *
     * @return the state; fails where Redis is away
     */
    CompletionStage<Snapshot> snapshot() {
        return reading.get().thenApply(seen -> {
            seen.error().ifPresent(error -> {
                throw new StoreException(error, false, null);
            });
            return seen.snapshot().orElseThrow();
        });
    }

    /** Something has changed: what was seen before does not count any more. */
    void forget() {
        reading.forget();
    }

    private synchronized void open(MultiEmitter<? super Seen> emitter) {
        Page page = new Page(emitter);
        pages.add(page);
        emitter.onTermination(() -> close(page));
        if (stopTicks == null) {
            stopTicks = ticks.every(PERIOD, this::tick);
            reading.get().thenRun(() -> showLatest(page));
        } else {
            showLatest(page);
        }
    }

    private synchronized void showLatest(Page page) {
        latest.ifPresent(page::show);
    }

    private synchronized void close(Page page) {
        pages.remove(page);
        if (pages.isEmpty()) {
            stop();
        }
    }

    /** Ends the ticks. */
    synchronized void stop() {
        if (stopTicks != null) {
            stopTicks.run();
            stopTicks = null;
        }
    }

    private synchronized void tick() {
        for (Page page : List.copyOf(pages)) {
            page.ticksLeft--;
            if (page.ticksLeft == 0) {
                page.emitter.complete();
            }
        }
        if (!pages.isEmpty()) {
            reading.again();
        }
    }

    private synchronized Seen show(Snapshot state, Throwable failure) {
        if (failure == null) {
            snapshot = Optional.of(state);
            history.add(state);
        }
        Seen seen = new Seen(clock.instant(), snapshot, Optional.ofNullable(failure).map(Failures::text),
                snapshot.map(this::histories).orElse(Map.of()));
        latest = Optional.of(seen);
        List.copyOf(pages).forEach(page -> page.show(seen));
        return seen;
    }

    private Map<LimitId, List<Integer>> histories(Snapshot state) {
        Map<LimitId, List<Integer>> histories = new HashMap<>();
        state.bulkheads().forEach(bulkhead -> bulkhead.limits().forEach(limit -> {
            LimitId id = new LimitId(bulkhead.name(), limit.key());
            histories.put(id, history.of(id));
        }));
        return histories;
    }
}
