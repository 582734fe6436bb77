package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.quarkiverse.redisbulkhead.runtime.overview.SharedReading;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Reads from Redis once a second for any number of open pages, and not at all without one. Thread-safe.
 * <p>
 * The Dev UI does not report that a browser was closed: its router keeps the subscription. So each subscription expires
 * after some seconds, and pages subscribe again before that.
 */
final class LiveFeed {

    /** How often Redis is read. */
    static final Duration PERIOD = Duration.ofSeconds(1);

    /** How long a subscription lasts. */
    static final Duration LASTS = Duration.ofSeconds(10);

    /**
     * The state at one moment.
     *
     * @param at the moment
     * @param snapshot the last known state; empty when Redis never replied
     * @param error why there is no newer one; empty when the last reading succeeded
     */
    record Seen(Instant at, Optional<Snapshot> snapshot, Optional<String> error) {
    }

    private static final Seen END = new Seen(Instant.EPOCH, Optional.empty(), Optional.empty());

    private final SharedReading<Seen> reading;
    private final Multi<Seen> live;
    private final UseHistory history = new UseHistory();
    private final InstantSource clock;
    private final Duration lasts;
    private volatile Optional<Snapshot> latest = Optional.empty();
    private volatile boolean stopped;

    /**
     * Reads nothing yet.
     *
     * @param source reads from Redis
     * @param ticks one per period, while there is a subscription
     * @param clock the time
     * @param nanoTime a clock for intervals
     * @param lasts how long a subscription lasts, by the clock of the machine
     */
    LiveFeed(Uni<Snapshot> source, Multi<?> ticks, InstantSource clock, LongSupplier nanoTime, Duration lasts) {
        this.clock = clock;
        this.lasts = lasts;
        this.reading = new SharedReading<>(source.invoke(this::remember).onItemOrFailure().transform(this::seen), PERIOD,
                nanoTime);
        this.live = ticks.select().first(tick -> !stopped).onOverflow().drop()
                .onItem().transformToUniAndConcatenate(tick -> reading.again())
                .broadcast().withCancellationAfterLastSubscriberDeparture().toAllSubscribers();
    }

    private void remember(Snapshot snapshot) {
        history.add(snapshot);
        latest = Optional.of(snapshot);
    }

    private Seen seen(Snapshot snapshot, Throwable failure) {
        return new Seen(clock.instant(), latest, Optional.ofNullable(failure).map(Failures::text));
    }

    /**
     * The state: immediately, and then once a period. During an outage, the last state with the error.
     *
     * @return completes when the subscription has lasted long enough
     */
    Multi<Seen> states() {
        // Not select().first(lasts), which does not cancel its upstream: the ticks would continue.
        Multi<Seen> end = Uni.createFrom().item(END).onItem().delayIt().by(lasts).toMulti();
        return Multi.createBy().merging().streams(now().toMulti(), live.onCompletion().continueWith(END), end).select()
                .first(seen -> seen != END);
    }

    /**
     * The state now: not older than a period, nor than the last {@link #forget()}.
     *
     * @return the state; during an outage, the last one with the error
     */
    Uni<Seen> now() {
        return reading.get();
    }

    /**
     * As {@link #now()}, but never returns the last state during an outage.
     *
     * @return the state; fails during an outage
     */
    Uni<Snapshot> snapshot() {
        return now().map(seen -> {
            seen.error().ifPresent(error -> {
                throw new StoreException(error, false, null);
            });
            return seen.snapshot().orElseThrow();
        });
    }

    /** The use of each limit during the last minutes. */
    UseHistory history() {
        return history;
    }

    /** Discards earlier reads after a change. */
    void forget() {
        reading.forget();
    }

    /** Ends all subscriptions with the next tick. */
    void stop() {
        stopped = true;
    }
}
