package io.quarkiverse.redisbulkhead.test.runtime;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
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

import io.quarkiverse.redisbulkhead.runtime.StoreDecorator;
import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.Vertx;

/**
 * Wraps the store of the application under test. It simulates outages and slow replies for tests; otherwise it delegates
 * every call. Thread-safe.
 */
@Singleton
public class SimulatedStore implements ShareStore, StoreDecorator {

    private static final Logger LOG = Logger.getLogger(SimulatedStore.class);

    private final Duration commandTimeout;
    private final Timers timers;
    private ShareStore store;
    private volatile Engine instance;

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
    public ShareStore decorate(ShareStore decorated) {
        store = decorated;
        return this;
    }

    @Override
    public void control(Engine controlled) {
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
        instance.keepIdle(false);
    }

    /**
     * Lets an execution lose its permit as if the store had lost it. Simulated faults have no effect on it.
     *
     * @param bulkhead the name of the bulkhead
     * @param key the value of its key
     * @param permitId the permit
     * @return {@code false} when no execution of this process holds it
     */
    public boolean lose(String bulkhead, Optional<String> key, String permitId) {
        return instance.lose(new BulkheadId(bulkhead, key), permitId);
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
        LOG.warnf("Redis is away: %s. Bulkheads follow on-outage until it ends. %s", reason, LogMessage.AWAY);
        unanswered.forEach(answer -> answer.completeExceptionally(away()));
        instance.availabilityChanged();
    }

    private void end(Fault fault) {
        boolean isBack;
        synchronized (this) {
            isBack = faults.remove(fault) && fault.away && !isAway();
        }
        if (faults.isEmpty()) {
            instance.keepIdle(true);
        }
        if (isBack) {
            LOG.info("Redis is available again: the simulated outage has ended");
            instance.reconnected();
        }
    }

    private static StoreException away() {
        return new StoreException(Kind.AWAY, "Redis is away, as simulated by TestBulkhead");
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
                return CompletableFuture.failedFuture(away());
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
    public boolean isShared() {
        return store.isShared();
    }

    @Override
    public void whenReady(Runnable task) {
        store.whenReady(task);
    }

    @Override
    public CompletionStage<Position> sync(Statement statement) {
        return answer(() -> store.sync(statement));
    }

    @Override
    public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return answer(() -> store.revoke(bulkhead, instance, permitId, permits));
    }

    @Override
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
        return answer(() -> store.resize(bulkhead, limit));
    }

    @Override
    public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
        return answer(() -> store.look(bulkhead, most));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return answer(() -> store.inUse(most));
    }

    @Override
    public void listen(Consumer<ShareMessage> messages) {
        store.listen(message -> deliver(() -> messages.accept(message)));
    }
}
