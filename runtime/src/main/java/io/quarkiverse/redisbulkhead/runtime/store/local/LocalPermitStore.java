package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.ArrayList;
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
import java.util.concurrent.atomic.AtomicReference;
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
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadSteps;

/**
 * Keeps permits in the memory of this process. Its answers are there when a method returns, and its notices are given
 * on the thread of the call that caused them, after the step is done: a listener may call the store again.
 * <p>
 * Each step runs within {@link ConcurrentHashMap#compute}, which is the one lock of its bulkhead. A bulkhead is in the
 * map only while there is anything to remember about it. As nobody may ever come back to a bulkhead whose last lease
 * has just run out, each step also looks at two others, in turn, and drops those in which nothing lives any more.
 */
public final class LocalPermitStore implements PermitStore {

    private static final Logger LOG = Logger.getLogger(LocalPermitStore.class);

    private static final int LOOKED_AT_IN_PASSING = 2;

    private final LocalClock clock;

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
        clock = new LocalClock(nanoTime, startEpochMillis);
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
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        return answer(() -> {
            Bounds.checkId(permitId);
            return change(bulkhead, steps -> steps.release(permitId));
        });
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
            Bounds.check(leases);
            return inspect(bulkhead, it -> new BulkheadSteps(new LocalStep(it, clock)).renew(leases));
        });
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Map<String, Duration> places) {
        return answer(() -> {
            Bounds.checkLimit(limit);
            Bounds.check(places);
            return change(bulkhead, steps -> steps.poll(limit, places));
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
            return inspect(bulkhead, it -> it.occupancy(most, clock.now().millis()));
        });
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return answer(() -> {
            long now = clock.now().millis();
            List<BulkheadId> held = new ArrayList<>();
            bulkheads.keySet().forEach(id -> bulkheads.computeIfPresent(id, (key, bulkhead) -> {
                if (!bulkhead.holders.allEnded(now)) {
                    held.add(key);
                }
                return bulkhead;
            }));
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

    /** One step that leaves no dead entry behind. */
    private <T> T change(BulkheadId id, Function<BulkheadSteps, T> operation) {
        AtomicReference<Outcome<T>> outcome = new AtomicReference<>();
        bulkheads.compute(id, (key, known) -> {
            LocalBulkhead bulkhead = known == null ? new LocalBulkhead(id) : known;
            LocalStep step = new LocalStep(bulkhead, clock);
            outcome.set(new Outcome<>(operation.apply(new BulkheadSteps(step)), step.notices()));
            return keep(bulkhead, known == null, step);
        });
        tell(outcome.get().notices());
        dropDeadOnes();
        return outcome.get().answer();
    }

    private record Outcome<T>(T answer, List<Notice> notices) {
    }

    private LocalBulkhead keep(LocalBulkhead bulkhead, boolean isNew, LocalStep step) {
        if (bulkhead.isDead(step.time().millis())) {
            return null;
        }
        if (isNew) {
            rounds.add(bulkhead);
        }
        return bulkhead;
    }

    /**
     * A look at a bulkhead that neither adds nor removes anything. It must not drop a bulkhead: a waiter whose place has
     * ended may still poll, as long as no other step has seen that.
     */
    private <T> T inspect(BulkheadId id, Function<LocalBulkhead, T> operation) {
        AtomicReference<T> answer = new AtomicReference<>();
        bulkheads.compute(id, (key, known) -> {
            answer.set(operation.apply(known == null ? new LocalBulkhead(id) : known));
            return known;
        });
        return answer.get();
    }

    private void tell(List<Notice> notices) {
        untold.addAll(notices);
        if (notices.isEmpty() || toBeTold.getAndAdd(notices.size()) > 0) {
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

    /** Drops the bulkhead when it is dead. Of two with the same id, one after the other, only the younger is there. */
    private boolean isStillThere(LocalBulkhead bulkhead) {
        return bulkhead == bulkheads.computeIfPresent(bulkhead.id(),
                (key, known) -> known == bulkhead && known.isDead(clock.now().millis()) ? null : known);
    }
}
