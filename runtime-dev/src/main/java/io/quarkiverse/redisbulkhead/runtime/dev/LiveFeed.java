package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
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

    private final Supplier<CompletionStage<Snapshot>> source;
    private final Ticks ticks;
    private final InstantSource clock;

    // All below, and what is emitted, under the lock of this.
    private final List<Page> pages = new ArrayList<>();
    private final UseHistory history = new UseHistory();
    private Optional<Snapshot> snapshot = Optional.empty();
    private Optional<Seen> latest = Optional.empty();
    private Instant asked = Instant.MIN;
    private CompletableFuture<Seen> underWay;
    private Runnable stopTicks;

    /**
     * Does nothing yet.
     *
     * @param source looks at Redis
     * @param ticks calls once a period
     * @param clock the time
     */
    LiveFeed(Supplier<CompletionStage<Snapshot>> source, Ticks ticks, InstantSource clock) {
        this.source = source;
        this.ticks = ticks;
        this.clock = clock;
    }

    private static final class Page {

        final MultiEmitter<? super Seen> emitter;
        int ticksLeft = LASTS_TICKS;

        Page(MultiEmitter<? super Seen> emitter) {
            this.emitter = emitter;
        }
    }

    /**
     * The state, at once where it is known, and then once a period. When Redis gives no answer, the last state with the
     * error.
     *
     * @return completes after {@value #LASTS_TICKS} periods
     */
    Multi<Seen> states() {
        return Multi.createFrom().<Seen> emitter(this::open, BackPressureStrategy.LATEST);
    }

    /**
     * The state now: not older than a period.
     *
     * @return the state; does not fail
     */
    Uni<Seen> now() {
        return Uni.createFrom().completionStage(this::fresh);
    }

    private synchronized CompletionStage<Seen> fresh() {
        if (underWay != null) {
            return underWay;
        }
        return isFresh() && latest.isPresent() ? CompletableFuture.completedStage(latest.get()) : look();
    }

    private boolean isFresh() {
        return clock.instant().isBefore(asked.plus(PERIOD));
    }

    private synchronized void open(MultiEmitter<? super Seen> emitter) {
        Page page = new Page(emitter);
        pages.add(page);
        emitter.onTermination(() -> close(page));
        if (isFresh() || underWay != null) {
            latest.ifPresent(emitter::emit);
        }
        if (stopTicks == null) {
            stopTicks = ticks.every(PERIOD, this::tick);
            fresh();
        }
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
            if (page.ticksLeft-- == 0) {
                page.emitter.complete();
            }
        }
        if (!pages.isEmpty() && underWay == null) {
            look();
        }
    }

    private CompletionStage<Seen> look() {
        asked = clock.instant();
        CompletableFuture<Seen> done = new CompletableFuture<>();
        underWay = done;
        ask().whenComplete((state, failure) -> done.complete(show(state, failure)));
        return done;
    }

    private CompletionStage<Snapshot> ask() {
        try {
            return source.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private synchronized Seen show(Snapshot state, Throwable failure) {
        if (failure == null) {
            snapshot = Optional.of(state);
            history.add(state);
        }
        Seen seen = new Seen(clock.instant(), snapshot, Optional.ofNullable(failure).map(LiveFeed::text),
                snapshot.map(this::histories).orElse(Map.of()));
        latest = Optional.of(seen);
        underWay = null;
        List.copyOf(pages).forEach(page -> page.emitter.emit(seen));
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

    // What went wrong with Redis, without the bulkhead that was asked for: that was all of them.
    // The reason of an outage, without the name of whichever bulkhead was asked.
    private static String text(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && (cause instanceof CompletionException || cause instanceof BulkheadException)) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
