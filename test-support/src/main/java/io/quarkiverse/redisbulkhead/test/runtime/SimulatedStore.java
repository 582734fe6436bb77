package io.quarkiverse.redisbulkhead.test.runtime;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
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
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.OperationListener;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkus.arc.All;
import io.vertx.core.Vertx;

/**
 * Stands in front of the store of the application under test, and simulates outages and slow replies. Only replies are late or
 * lost; what the application asks of the store happens, and in its order. Thread-safe.
 */
@Singleton
public class SimulatedStore implements StoreDecorator {

    private static final Logger LOG = Logger.getLogger(SimulatedStore.class);

    /** The delay of all replies in an outage. */
    private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);

    private final Duration commandTimeout;
    private final Timers timers;
    private final List<OperationListener> listeners;
    // The delays of the faults that last. Guarded by this together with whether the instance keeps idle permits.
    private final List<Duration> faults = new CopyOnWriteArrayList<>();
    private volatile Engine instance;

    /**
     * Simulates nothing yet.
     *
     * @param config configures the command timeout
     * @param vertx runs timers
     * @param listeners receive the operations that fail
     */
    @Inject
    public SimulatedStore(RedisBulkheadRuntimeConfig config, Vertx vertx, @All List<OperationListener> listeners) {
        this(config.commandTimeout(), new VertxTimers(vertx), listeners);
    }

    SimulatedStore(Duration commandTimeout, Timers timers, List<OperationListener> listeners) {
        this.listeners = listeners;
        this.commandTimeout = commandTimeout;
        this.timers = timers;
    }

    @Override
    public void control(Engine controlled) {
        instance = controlled;
    }

    /**
     * Begins an outage.
     *
     * @return ends it; has an effect once
     */
    public Runnable outage() {
        Runnable end = begin(ENDLESS);
        LOG.warnf("Redis is away, as simulated by TestBulkhead. Bulkheads follow on-outage until it ends. %s", LogMessage.AWAY);
        instance.availabilityChanged();
        return end;
    }

    /**
     * Delays replies and messages.
     *
     * @param delay how long each reply takes
     * @return ends it; has an effect once
     * @throws IllegalArgumentException when the application would not wait so long for a reply
     */
    public Runnable slow(Duration delay) {
        if (delay.compareTo(commandTimeout) >= 0) {
            throw new IllegalArgumentException("delay must be shorter than quarkus.redis-bulkhead.command-timeout, which is "
                    + commandTimeout + ", but is " + delay + ". Use outage() for a Redis that does not answer in time");
        }
        return begin(delay);
    }

    private Runnable begin(Duration fault) {
        AtomicBoolean lasts = new AtomicBoolean(true);
        synchronized (this) {
            faults.add(fault);
            // With idle permits, calls would not notice the fault before the share is used up.
            keepIdle(false);
        }
        return () -> {
            if (lasts.getAndSet(false)) {
                end(fault);
            }
        };
    }

    private void end(Duration fault) {
        boolean isBack;
        synchronized (this) {
            faults.remove(fault);
            keepIdle(faults.isEmpty());
            isBack = fault == ENDLESS && !isAway();
        }
        if (isBack) {
            LOG.info("Redis is available again: the simulated outage has ended");
            instance.reconnected();
        }
    }

    // Tests pause here.
    void keepIdle(boolean keeps) {
        instance.keepIdle(keeps);
    }

    private boolean isAway() {
        return faults.contains(ENDLESS);
    }

    private Duration delay() {
        return faults.stream().filter(fault -> fault != ENDLESS).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
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

    @Override
    public ShareStore decorate(ShareStore store) {
        return new Decorated(store);
    }

    /** The store as the application sees it. */
    private final class Decorated implements ShareStore {

        private final ShareStore store;

        private Decorated(ShareStore store) {
            this.store = store;
        }

        private <T> CompletionStage<T> ask(Operation operation, Supplier<CompletionStage<T>> question) {
            if (isAway()) {
                // Metrics show the outage: the store is not asked, so it does not report the operation.
                listeners.forEach(listener -> listener.done(operation, Duration.ZERO, away()));
                return CompletableFuture.failedFuture(away());
            }
            return faults.isEmpty() ? question.get() : late(question);
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
            return ask(Operation.SYNC, () -> store.sync(statement));
        }

        @Override
        public CompletionStage<Integer> revoke(BulkheadId bulkhead, String holder, String permitId, int permits) {
            return ask(Operation.REVOKE, () -> store.revoke(bulkhead, holder, permitId, permits));
        }

        @Override
        public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
            return ask(limit == 0 ? Operation.RESET_SIZE : Operation.RESIZE, () -> store.resize(bulkhead, limit));
        }

        @Override
        public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
            return ask(Operation.LOOK, () -> store.look(bulkhead, most));
        }

        @Override
        public CompletionStage<BulkheadsInUse> inUse(int most) {
            return ask(Operation.IN_USE, () -> store.inUse(most));
        }

        @Override
        public void listen(Consumer<ShareMessage> messages) {
            store.listen(message -> deliver(() -> messages.accept(message)));
        }
    }

    private <T> CompletionStage<T> late(Supplier<CompletionStage<T>> question) {
        CompletionStage<T> real = question.get();
        CompletableFuture<T> answer = new CompletableFuture<>();
        timers.after(delay(), () -> real.whenComplete((value, failure) -> {
            if (isAway() || failure != null) {
                answer.completeExceptionally(isAway() ? away() : Failures.cause(failure));
            } else {
                answer.complete(value);
            }
        }));
        return answer;
    }

    private void deliver(Runnable message) {
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

    private static StoreException away() {
        return new StoreException(Kind.AWAY, "Redis is away, as simulated by TestBulkhead");
    }
}
