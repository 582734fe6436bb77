package io.quarkiverse.redisbulkhead.test.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Timers;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.InstanceControl;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreDecorator;
import io.vertx.core.Vertx;

/**
 * Wraps the store of the application under test. It simulates outages and slow replies for tests; otherwise it delegates
 * every call. Thread-safe.
 */
@Singleton
public class SimulatedStore implements PermitStore, StoreDecorator {

    private static final Logger LOG = Logger.getLogger(SimulatedStore.class);

    private final Duration commandTimeout;
    private final Timers timers;
    private PermitStore store;
    // Null with a store of permits.
    private volatile InstanceControl instance;
    private volatile Consumer<Notice> listener = notice -> {
    };

    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    // Delayed replies. Guarded by this.
    private final Set<CompletableFuture<?>> delayed = new LinkedHashSet<>();

    /** A simulated fault that lasts until the test ends it. */
    private static final class Fault {

        private final Duration delay;
        private volatile boolean away;

        private Fault(Duration delay) {
            this.delay = delay;
        }
    }

    /**
     * Simulates nothing yet.
     *
     * @param config configures the command timeout
     * @param vertx runs timers
     */
    @Inject
    public SimulatedStore(RedisBulkheadRuntimeConfig config, Vertx vertx) {
        this(config.commandTimeout(), new VertxTimers(vertx));
    }

    SimulatedStore(Duration commandTimeout, Timers timers) {
        this.commandTimeout = commandTimeout;
        this.timers = timers;
    }

    @Override
    public PermitStore decorate(PermitStore decorated) {
        store = decorated;
        return this;
    }

    @Override
    public ShareStore decorate(ShareStore decorated) {
        return new SimulatedShares(decorated, this);
    }

    @Override
    public void control(InstanceControl controlled) {
        instance = controlled;
    }

    // ---- Faults

    /**
     * Begins an outage.
     *
     * @return ends it; has an effect once
     */
    public Runnable outage() {
        Fault fault = new Fault(Duration.ZERO);
        add(fault);
        beginOutage(fault, "TestBulkhead simulates an outage");
        return () -> end(fault);
    }

    /**
     * Delays replies and messages. A delay of at least the command timeout is an outage: the first call detects it after
     * the command timeout, and later ones fail immediately.
     *
     * @param delay how long each reply takes
     * @return ends it; has an effect once
     */
    public Runnable slow(Duration delay) {
        Fault fault = new Fault(delay);
        add(fault);
        return () -> end(fault);
    }

    // With idle permits, calls would not notice the fault before the share is used up.
    private void add(Fault fault) {
        faults.add(fault);
        if (instance != null) {
            instance.keepIdle(false);
        }
    }

    /**
     * Removes a permit as if the store had lost it, and notifies its holder, which is in this process if the store keeps
     * shares.
     * Faults do not matter.
     *
     * @param bulkhead the name of the bulkhead
     * @param key the value of its key
     * @param permitId the permit
     * @return completes with {@code false} when it was not held
     */
    public CompletionStage<Boolean> lose(String bulkhead, Optional<String> key, String permitId) {
        if (instance != null) {
            return CompletableFuture.completedFuture(instance.lose(new BulkheadId(bulkhead, key), permitId));
        }
        return store.release(new BulkheadId(bulkhead, key), permitId, Duration.ZERO).thenApply(held -> {
            if (held) {
                listener.accept(new Notice.Gone(permitId));
            }
            return held;
        });
    }

    private boolean isAway() {
        return faults.stream().anyMatch(fault -> fault.away);
    }

    private Duration delay() {
        return faults.stream().map(fault -> fault.delay).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    private void beginOutage(Fault fault, String reason) {
        List<CompletableFuture<?>> unanswered;
        synchronized (this) {
            if (!faults.contains(fault) || fault.away) {
                return;
            }
            fault.away = true;
            unanswered = List.copyOf(delayed);
            delayed.clear();
        }
        LOG.warnf("Redis is away: %s. Bulkheads follow on-outage until it ends", reason);
        unanswered.forEach(answer -> answer.completeExceptionally(away(true)));
        if (instance != null) {
            instance.availabilityChanged();
        } else {
            listener.accept(new Notice.NoticesMissed());
        }
    }

    private void end(Fault fault) {
        boolean isBack;
        synchronized (this) {
            isBack = faults.remove(fault) && fault.away && !isAway();
        }
        if (instance != null && faults.isEmpty()) {
            instance.keepIdle(true);
        }
        if (isBack) {
            LOG.info("Redis is available again: the simulated outage has ended");
            if (instance != null) {
                instance.positionsMayDiffer();
                return;
            }
            listener.accept(new Notice.Reconnected());
            listener.accept(new Notice.NoticesMissed());
        }
    }

    private static StoreAwayException away(boolean outcomeUnknown) {
        return new StoreAwayException("Redis is away, as simulated by TestBulkhead", outcomeUnknown, null);
    }

    // ---- Replies and messages

    <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> operation) {
        if (faults.isEmpty()) {
            return operation.get();
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        Duration delay;
        synchronized (this) {
            if (isAway()) {
                return CompletableFuture.failedFuture(away(false));
            }
            delay = delay();
            delayed.add(answer);
        }
        // In order, and with its effect: only the reply is late or lost.
        CompletionStage<T> real = operation.get();
        boolean isSilent = delay.compareTo(commandTimeout) >= 0;
        timers.after(isSilent ? commandTimeout : delay, () -> {
            if (isSilent) {
                faults.stream().filter(fault -> fault.delay.compareTo(commandTimeout) >= 0).findFirst()
                        .ifPresent(fault -> beginOutage(fault,
                                "TestBulkhead delays its answers by " + fault.delay.toMillis() + " ms, and "
                                        + "quarkus.redis-bulkhead.command-timeout is " + commandTimeout.toMillis() + " ms"));
            }
            real.whenComplete((value, failure) -> complete(answer, value, failure));
        });
        return answer;
    }

    private <T> void complete(CompletableFuture<T> answer, T value, Throwable failure) {
        synchronized (this) {
            delayed.remove(answer);
        }
        // No effect when an outage came first.
        if (failure == null) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(Failures.cause(failure));
        }
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches) {
        listener = notices;
        store.listen(this::notice, mismatches);
    }

    private void notice(Notice notice) {
        deliver(() -> listener.accept(notice));
    }

    void deliver(Runnable message) {
        if (faults.isEmpty()) {
            message.run();
        } else if (!isAway()) {
            timers.after(delay(), () -> {
                if (!isAway()) {
                    message.run();
                }
            });
        }
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return answer(() -> store.acquire(request));
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        return answer(() -> store.release(bulkhead, permitId, minHold));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        return answer(() -> store.cancel(bulkhead, permitIds, forgetAfter));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        return answer(() -> store.renew(bulkhead, leases));
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        return answer(() -> store.poll(bulkhead, limit, permitIds, place));
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return answer(() -> store.detach(bulkhead, permitId, lease, digest, refuseFor));
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        return answer(() -> store.attach(request));
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return answer(() -> store.revoke(bulkhead, permitId));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return answer(() -> store.resize(bulkhead, limit));
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return answer(() -> store.resetSize(bulkhead));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return answer(() -> store.occupancy(bulkhead, most));
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return answer(() -> store.ownPermits(bulkhead));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return answer(() -> store.inUse(most));
    }
}
