package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Bounds;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadSteps;

/**
 * Keeps permits in the memory of this process. Its answers are there when a method returns, and its notices are given
 * on the thread of the call that caused them, after the step is done: a listener may call the store again.
 * <p>
 * Each step takes the lock of its bulkhead. A few bulkheads stay in the map when there is nothing to remember about them, as
 * most of them are soon used again; when there are more, each is dropped by the step after which it is empty. As nobody may
 * ever come back to a bulkhead whose last lease has just run out, each step then also looks at two others, in turn, and drops
 * those in which nothing lives any more.
 */
public final class LocalPermitStore implements InProcessPermitStore {

    private static final Logger LOG = Logger.getLogger(LocalPermitStore.class);

    private static final int MOST_AT_REST = 100;
    private static final int LOOKED_AT_IN_PASSING = 2;

    private final LocalClock clock;
    private final int mostAtRest;

    private final ConcurrentHashMap<BulkheadId, LocalBulkhead> bulkheads = new ConcurrentHashMap<>();

    /** Every bulkhead of the map, and such as have just left it. */
    private final Queue<LocalBulkhead> rounds = new ConcurrentLinkedQueue<>();

    // Notices are told one after the other, by one thread at a time: what a listener does on being told may give rise to the next notice, and
    // so on; told on the spot, a long queue of waiters would overflow the stack.
    private final Queue<Notice> untold = new ConcurrentLinkedQueue<>();
    private final AtomicInteger toBeTold = new AtomicInteger();

    private volatile Consumer<Notice> listener = notice -> {
    };

    /**
     * Creates an empty store.
     *
     * @param nanoTime the passing of time, as {@link System#nanoTime()} tells it
     * @param startEpochMillis what time it is now, in milliseconds since the epoch; not asked for again
     */
    public LocalPermitStore(LongSupplier nanoTime, long startEpochMillis) {
        this(nanoTime, startEpochMillis, MOST_AT_REST);
    }

    LocalPermitStore(LongSupplier nanoTime, long startEpochMillis, int mostAtRest) {
        this.clock = new LocalClock(nanoTime, startEpochMillis);
        this.mostAtRest = mostAtRest;
    }

    @Override
    public void listen(Consumer<Notice> listener) {
        this.listener = listener;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return answer(() -> {
            Bounds.check(request);
            return change(request.bulkhead(), steps -> steps.acquire(request));
        });
    }

    @Override
    public long takeIfFree(AcquireRequest request) {
        Bounds.check(request);
        LocalBulkhead bulkhead = begin(request.bulkhead());
        try {
            return bulkhead.operations().takeIfFree(request);
        } finally {
            end(bulkhead);
        }
    }

    @Override
    public boolean releaseNow(BulkheadId id, String permitId) {
        Bounds.checkId(permitId);
        LocalBulkhead bulkhead = begin(id);
        try {
            return bulkhead.operations().release(permitId);
        } finally {
            end(bulkhead);
        }
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        return answer(() -> releaseNow(bulkhead, permitId));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return answer(() -> {
            Bounds.check(permitIds);
            return change(bulkhead, steps -> steps.cancel(permitIds, forgetAfter));
        });
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        return answer(() -> {
            Bounds.checkLeases(leases);
            return inspect(bulkhead, it -> it.operations().renew(leases));
        });
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        return answer(() -> {
            Bounds.checkLimit(limit);
            Bounds.checkPolled(permitIds, place);
            return change(bulkhead, steps -> steps.poll(limit, permitIds, place));
        });
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return answer(() -> change(bulkhead, steps -> steps.revoke(permitId)));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return answer(() -> {
            Bounds.checkLimit(limit);
            return change(bulkhead, steps -> steps.resize(limit));
        });
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return answer(() -> change(bulkhead, BulkheadSteps::resetSize));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return answer(() -> {
            Bounds.checkListed(most);
            return inspect(bulkhead, it -> it.occupancy(most));
        });
    }

    /** None: no answer is lost on its way, and no data. */
    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return CompletableFuture.completedFuture(Set.of());
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return answer(() -> {
            List<BulkheadId> held = bulkheads.keySet().stream().filter(id -> inspect(id, LocalBulkhead::isHeld)).toList();
            return new BulkheadsInUse(held.stream().sorted().limit(most).toList(), Map.of(), held.size() > most
                    ? Optional.of("only the first " + most + " of " + held.size() + " are shown")
                    : Optional.empty());
        });
    }

    /** How many bulkheads take memory. */
    int size() {
        return bulkheads.size();
    }

    private static <T> CompletionStage<T> answer(Supplier<T> work) {
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> T change(BulkheadId id, Function<BulkheadSteps, T> operation) {
        LocalBulkhead bulkhead = begin(id);
        try {
            return operation.apply(bulkhead.operations());
        } finally {
            end(bulkhead);
        }
    }

    /** Begins a step, which must {@linkplain #end end}. */
    private LocalBulkhead begin(BulkheadId id) {
        LocalBulkhead bulkhead = known(id);
        while (!bulkhead.begin()) {
            bulkhead = known(id);
        }
        return bulkhead;
    }

    private LocalBulkhead known(BulkheadId id) {
        LocalBulkhead known = bulkheads.get(id);
        if (known != null) {
            return known;
        }
        dropDeadOnes();
        return bulkheads.computeIfAbsent(id, missing -> {
            LocalBulkhead bulkhead = new LocalBulkhead(missing, clock);
            rounds.add(bulkhead);
            return bulkhead;
        });
    }

    private void end(LocalBulkhead bulkhead) {
        List<Notice> notices = bulkhead.takeNotices();
        dropIfDead(bulkhead);
        bulkhead.end();
        tell(notices);
        if (areMany()) {
            dropDeadOnes();
        }
    }

    /** Within a step. */
    private void dropIfDead(LocalBulkhead bulkhead) {
        if (areMany() && bulkhead.isDead()) {
            // In this order, as whoever finds it forgotten looks for it again.
            bulkheads.remove(bulkhead.id());
            bulkhead.forget();
        }
    }

    private boolean areMany() {
        return bulkheads.size() > mostAtRest;
    }

    /**
     * A look at a bulkhead that neither adds nor removes anything. It must not drop a bulkhead: a waiter whose place has
     * ended may still poll, as long as no other step has seen that.
     */
    private <T> T inspect(BulkheadId id, Function<LocalBulkhead, T> operation) {
        LocalBulkhead bulkhead = bulkheads.get(id);
        if (bulkhead == null || !bulkhead.begin()) {
            bulkhead = new LocalBulkhead(id, clock);
            bulkhead.begin();
        }
        try {
            return operation.apply(bulkhead);
        } finally {
            bulkhead.end();
        }
    }

    private void tell(List<Notice> notices) {
        if (notices.isEmpty()) {
            return;
        }
        untold.addAll(notices);
        if (toBeTold.getAndAdd(notices.size()) > 0) {
            return;
        }
        do {
            tell(untold.remove());
        } while (toBeTold.decrementAndGet() > 0);
    }

    private void tell(Notice notice) {
        try {
            listener.accept(notice);
        } catch (RuntimeException e) {
            LOG.errorf(e, "The listener failed on %s", notice);
        }
    }

    private void dropDeadOnes() {
        for (int i = 0; i < LOOKED_AT_IN_PASSING; i++) {
            LocalBulkhead bulkhead = rounds.poll();
            if (bulkhead != null && isStillThere(bulkhead)) {
                rounds.add(bulkhead);
            }
        }
    }

    /** Drops the bulkhead when it is dead. */
    private boolean isStillThere(LocalBulkhead bulkhead) {
        if (!bulkhead.begin()) {
            return false;
        }
        try {
            dropIfDead(bulkhead);
        } finally {
            bulkhead.end();
        }
        return !bulkhead.isForgotten();
    }
}
