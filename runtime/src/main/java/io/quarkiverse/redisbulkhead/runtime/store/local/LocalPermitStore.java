package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/**
 * Keeps permits in the memory of this process: a map of {@link BulkheadStateMachine}s. Its answers are there when a method
 * returns, and its notices are given on the thread of the call that caused them, after the step is done: a listener may call
 * the store again.
 * <p>
 * Each step takes the lock of its bulkhead. Up to a hundred bulkheads stay in the map while they are empty, because most of
 * them are soon used again; beyond that, each is dropped by the step after which it is empty. A bulkhead whose last lease runs
 * out may never be used again, so steps also look at two others, in turn, and drop those in which nothing lives any more.
 */
public final class LocalPermitStore implements InProcessPermitStore {

    private static final Logger LOG = Logger.getLogger(LocalPermitStore.class);

    private static final int MOST_AT_REST = 100;
    private static final int LOOKED_AT_IN_PASSING = 2;

    /** There is no other process. */
    private static final String PROCESS = "";

    private final LongSupplier nanoTime;
    private final long startNanos;
    private final long startMicros;
    private final int mostAtRest;

    private final ConcurrentHashMap<BulkheadId, Entry> bulkheads = new ConcurrentHashMap<>();

    /** Every bulkhead of the map, and some that have just left it. */
    private final Queue<Entry> rounds = new ConcurrentLinkedQueue<>();

    /** No bulkhead that was dropped has given a greater ticket, so tickets also grow when a bulkhead comes back. */
    private final AtomicLong lastDroppedTicket = new AtomicLong();

    // Notices are delivered one after the other, by one thread at a time. What a listener does may cause the next notice; delivered
    // recursively, a long queue of waiters would overflow the stack.
    private final Queue<Notice> undelivered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger undeliveredCount = new AtomicInteger();

    private volatile Consumer<Notice> listener = notice -> {
    };
    private volatile Consumer<LimitMismatch> mismatchListener = mismatch -> {
    };

    /** A bulkhead and the lock that its steps take. */
    private static final class Entry extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        private final transient BulkheadStateMachine bulkhead;
        private volatile boolean dropped;

        private Entry(BulkheadStateMachine bulkhead) {
            this.bulkhead = bulkhead;
        }
    }

    /**
     * Creates an empty store.
     *
     * @param nanoTime a monotonic clock, such as {@link System#nanoTime()}
     * @param startEpochMillis the current time, in milliseconds since the epoch; read once, so it does not matter
     *        when the computer's clock is set
     */
    public LocalPermitStore(LongSupplier nanoTime, long startEpochMillis) {
        this(nanoTime, startEpochMillis, MOST_AT_REST);
    }

    LocalPermitStore(LongSupplier nanoTime, long startEpochMillis, int mostAtRest) {
        this.nanoTime = nanoTime;
        this.startNanos = nanoTime.getAsLong();
        this.startMicros = TimeUnit.MILLISECONDS.toMicros(startEpochMillis);
        this.mostAtRest = mostAtRest;
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches) {
        listener = notices;
        mismatchListener = mismatches;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return answer(change(request.bulkhead(), bulkhead -> bulkhead.acquire(PROCESS, request)));
    }

    @Override
    public Taken takeIfFree(PermitTerms terms, IntFunction<String> ids) {
        Entry entry = begin(terms.bulkhead());
        try {
            return entry.bulkhead.takeIfFree(PROCESS, terms, ids);
        } finally {
            end(entry);
        }
    }

    @Override
    public boolean releaseNow(Taken permit, Duration minHold) {
        Permit taken = (Permit) permit;
        Entry entry = begin(taken.terms().bulkhead());
        try {
            return entry.bulkhead.release(taken, minHold);
        } finally {
            end(entry);
        }
    }

    @Override
    public boolean releaseNow(BulkheadId id, String permitId, Duration minHold) {
        Entry entry = begin(id);
        try {
            return entry.bulkhead.release(permitId, minHold);
        } finally {
            end(entry);
        }
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId id, String permitId, Duration minHold) {
        return answer(releaseNow(id, permitId, minHold));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId id, List<String> permitIds, Duration forgetAfter) {
        return answer(change(id, bulkhead -> {
            bulkhead.cancel(permitIds, forgetAfter);
            return null;
        }));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId id, Map<String, Duration> leases) {
        return answer(inspect(id, bulkhead -> bulkhead.renew(leases)));
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId id, int limit, Collection<String> permitIds, Duration place) {
        return answer(change(id, bulkhead -> bulkhead.poll(PROCESS, limit, permitIds, place)));
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId id, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return answer(change(id, bulkhead -> bulkhead.detach(permitId, lease, digest, refuseFor)));
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        return answer(change(request.permit().bulkhead(), bulkhead -> bulkhead.attach(PROCESS, request)));
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId id, String permitId) {
        return answer(change(id, bulkhead -> bulkhead.revoke(permitId)));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId id, int limit) {
        return answer(change(id, bulkhead -> {
            bulkhead.resize(OptionalInt.of(limit));
            return null;
        }));
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId id) {
        return answer(change(id, bulkhead -> bulkhead.resize(OptionalInt.empty())));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId id, int most) {
        return answer(inspect(id, bulkhead -> bulkhead.occupancy(most)));
    }

    /** Always empty: neither replies nor data get lost. */
    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return answer(Set.of());
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        List<BulkheadId> held = bulkheads.keySet().stream().filter(id -> inspect(id, BulkheadStateMachine::isHeld)).toList();
        return answer(new BulkheadsInUse(held.stream().sorted().limit(most).toList(), Map.of(), held.size() > most
                ? Optional.of("only the first " + most + " of " + held.size() + " are shown")
                : Optional.empty()));
    }

    /** How many bulkheads take memory. */
    int size() {
        return bulkheads.size();
    }

    private static <T> CompletionStage<T> answer(T answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private <T> T change(BulkheadId id, Function<BulkheadStateMachine, T> operation) {
        Entry entry = begin(id);
        try {
            return operation.apply(entry.bulkhead);
        } finally {
            end(entry);
        }
    }

    /** Begins a step, which must {@linkplain #end end}. */
    private Entry begin(BulkheadId id) {
        Entry entry = known(id);
        while (!begin(entry)) {
            entry = known(id);
        }
        return entry;
    }

    /** Returns {@code false} when the bulkhead was dropped meanwhile, so there is no step. */
    private boolean begin(Entry entry) {
        entry.lock();
        if (entry.dropped) {
            entry.unlock();
            return false;
        }
        // Under the lock, so that the steps follow each other in time.
        entry.bulkhead.begin(micros());
        return true;
    }

    private long micros() {
        return startMicros + TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - startNanos);
    }

    private Entry known(BulkheadId id) {
        Entry known = bulkheads.get(id);
        if (known != null) {
            return known;
        }
        dropDeadOnes();
        return bulkheads.computeIfAbsent(id, missing -> {
            Entry entry = newEntry(missing);
            rounds.add(entry);
            return entry;
        });
    }

    private Entry newEntry(BulkheadId id) {
        return new Entry(new BulkheadStateMachine(id, Math.max(1, Math.max(lastDroppedTicket.get(), micros() - 1))));
    }

    private void end(Entry entry) {
        List<BulkheadStateMachine.Message> messages = entry.bulkhead.takeMessages();
        List<LimitMismatch> mismatches = entry.bulkhead.takeLimitMismatches();
        dropIfDead(entry);
        entry.unlock();
        if (!messages.isEmpty()) {
            notifyListener(messages);
        }
        if (!mismatches.isEmpty()) {
            mismatches.forEach(mismatchListener);
        }
        if (areMany()) {
            dropDeadOnes();
        }
    }

    /** Within a step. */
    private void dropIfDead(Entry entry) {
        if (areMany() && entry.bulkhead.isForgettable()) {
            lastDroppedTicket.accumulateAndGet(entry.bulkhead.lastTicket(), Math::max);
            // In this order, because a caller that finds it dropped looks for it again.
            bulkheads.remove(entry.bulkhead.id());
            entry.dropped = true;
        }
    }

    private boolean areMany() {
        return bulkheads.size() > mostAtRest;
    }

    /** Reads a bulkhead without adding, removing or dropping anything. */
    private <T> T inspect(BulkheadId id, Function<BulkheadStateMachine, T> operation) {
        Entry entry = bulkheads.get(id);
        if (entry == null || !begin(entry)) {
            entry = newEntry(id);
            begin(entry);
        }
        try {
            return operation.apply(entry.bulkhead);
        } finally {
            entry.unlock();
        }
    }

    private void notifyListener(List<BulkheadStateMachine.Message> messages) {
        messages.forEach(message -> undelivered.add(message.notice()));
        if (undeliveredCount.getAndAdd(messages.size()) > 0) {
            return;
        }
        do {
            notifyListener(undelivered.remove());
        } while (undeliveredCount.decrementAndGet() > 0);
    }

    private void notifyListener(Notice notice) {
        try {
            listener.accept(notice);
        } catch (RuntimeException e) {
            LOG.errorf(e, "The listener failed on %s", notice);
        }
    }

    private void dropDeadOnes() {
        for (int i = 0; i < LOOKED_AT_IN_PASSING; i++) {
            Entry entry = rounds.poll();
            if (entry != null && begin(entry)) {
                dropIfDead(entry);
                entry.unlock();
                if (!entry.dropped) {
                    rounds.add(entry);
                }
            }
        }
    }
}
