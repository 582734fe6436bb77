package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.quarkiverse.redisbulkhead.runtime.store.Position.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Changed;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Attach;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Hold;

/**
 * The limits of one process. The only instance gets all that is free as soon as it needs something, and its share is what it
 * states, so only the permits in the name of no instance are kept here. Answers before a method returns. Thread-safe.
 */
public final class LocalShareStore implements ShareStore {

    private static final long NEVER_MILLIS = Duration.ofDays(365).toMillis();
    private static final long TIDY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int MOST_TOKENS = 1 << 20;

    /** A permit in the name of no instance, and when it got here. */
    private record Kept(Hold hold, long atNanos) {

        /** The permit as it is at that time. */
        private Hold at(long now) {
            long age = TimeUnit.NANOSECONDS.toMillis(now - atNanos);
            return new Hold(hold.id(), hold.weight(), hold.leaseMillis() - age, hold.startedMillis() + age, hold.digest(),
                    hold.method());
        }
    }

    private final LongSupplier nanoTime;
    private final boolean leasesEnd;
    private volatile Consumer<ShareMessage> listener = message -> {
    };

    // Guarded by this.
    private final Map<BulkheadId, Map<String, Kept>> kept = new HashMap<>();
    private final Map<BulkheadId, Integer> resizedTo = new HashMap<>();
    private long tidiedNanos;
    private long lastToken;

    /**
     * Nothing is taken yet.
     *
     * @param nanoTime the clock
     * @param leasesEnd whether a lease ends unless it is renewed, as in a shared store; for simulated outages
     */
    public LocalShareStore(LongSupplier nanoTime, boolean leasesEnd) {
        this.nanoTime = nanoTime;
        this.leasesEnd = leasesEnd;
        this.tidiedNanos = nanoTime.getAsLong();
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public void whenReady(Runnable task) {
        task.run();
    }

    // Within the lock. Those of other bulkheads whose time is over are forgotten now and then.
    private List<Hold> kept(BulkheadId bulkhead, long now) {
        if (now - tidiedNanos > TIDY_NANOS) {
            tidiedNanos = now;
            kept.values().forEach(permits -> permits.values().removeIf(permit -> permit.at(now).leaseMillis() <= 0));
            kept.values().removeIf(Map::isEmpty);
        }
        return kept.getOrDefault(bulkhead, Map.of()).values().stream().map(permit -> permit.at(now))
                .filter(permit -> permit.leaseMillis() > 0).toList();
    }

    // Within the lock.
    private Kept remove(BulkheadId bulkhead, String permitId) {
        Map<String, Kept> all = kept.get(bulkhead);
        return all == null ? null : all.remove(permitId);
    }

    // Within the lock. As in Redis, tokens advance with the clock, so that they also grow from one start to the next.
    private long tokens(long count) {
        long first = Math.max(lastToken + 1, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        lastToken = first + count - 1;
        return first;
    }

    @Override
    public synchronized CompletionStage<Position> sync(Statement statement) {
        long now = nanoTime.getAsLong();
        BulkheadId bulkhead = statement.bulkhead();
        for (Hold hold : statement.holds()) {
            kept.computeIfAbsent(bulkhead, id -> new LinkedHashMap<>()).putIfAbsent(hold.id(), new Kept(hold, now));
        }
        long granted = statement.granted();
        Map<String, Attached> attached = new HashMap<>();
        for (Attach attach : statement.attaches()) {
            for (Hold hold : kept(bulkhead, now)) {
                if (hold.id().equals(attach.id()) && hold.digest().equals(attach.digest())) {
                    remove(bulkhead, hold.id());
                    granted += hold.weight();
                    attached.put(hold.id(), new Attached(hold.weight(), hold.startedMillis()));
                }
            }
        }
        int limit = resizedTo.getOrDefault(bulkhead, statement.limit());
        long free = limit - (granted - statement.returned() - statement.revoked());
        long askAgain = 0;
        for (Hold hold : kept(bulkhead, now)) {
            free -= hold.weight();
            askAgain = askAgain == 0 ? hold.leaseMillis() : Math.min(askAgain, hold.leaseMillis());
        }
        boolean waits = !statement.needs().isEmpty() || !statement.immediate().isEmpty();
        // A part of what the first call needs would come back with the next statement, which would ask for it again.
        boolean helps = waits && (statement.needs().isEmpty() || free >= statement.needs().get(0).weight());
        granted += helps ? Math.max(0, free) : 0;
        int tokens = (int) Math.min(MOST_TOKENS, statement.tokens() + granted - statement.granted());
        return CompletableFuture.completedFuture(new Position(statement.number(), 1, granted, 0, statement.revoked(),
                leasesEnd ? statement.leaseMillis() : NEVER_MILLIS, limit, waits ? tokens(1) : 0, 0, false, true, 0, 0, 0,
                askAgain, tokens(tokens), tokens, attached, 0, ""));
    }

    @Override
    public synchronized CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        Kept found = remove(bulkhead, permitId);
        return CompletableFuture.completedFuture(found == null ? 0 : found.hold.weight());
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        Integer before;
        synchronized (this) {
            before = limit == 0 ? resizedTo.remove(bulkhead) : resizedTo.put(bulkhead, limit);
        }
        listener.accept(new Changed(bulkhead));
        return CompletableFuture.completedFuture(before != null);
    }

    /** Without a share: the instance knows what it uses, and what is idle here is missing nowhere. */
    @Override
    public synchronized CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        Integer resized = resizedTo.get(bulkhead);
        return CompletableFuture.completedFuture(new ShareOverview(0, 0,
                resized == null ? OptionalInt.empty() : OptionalInt.of(resized), Collections.emptySortedSet(), List.of(),
                kept(bulkhead, nanoTime.getAsLong())));
    }

    @Override
    public synchronized CompletionStage<BulkheadsInUse> inUse(int most) {
        return CompletableFuture.completedFuture(new BulkheadsInUse(kept.keySet().stream().sorted().limit(most).toList(),
                Map.of(), Optional.empty()));
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        listener = messages;
    }
}
