package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.netty.channel.EventLoopGroup;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;

/**
 * Measures the calls of this process, losses and failed renewals of their permits, and how long Redis takes. Code may compute
 * the names of locks and undeclared bulkheads, so these share series, except those that the configuration lists. Keys are
 * bounded.
 * <p>
 * Also shows how full the declared bulkheads are over all processes, except those with keys, whose number is unbounded. That is
 * read in the background, so that scrapes do not wait for Redis, and asks no other instance: all of them do this.
 */
@Singleton
public class BulkheadMetrics implements SemaphoreListener, ShareStore.OperationListener {

    private static final Logger LOG = Logger.getLogger(BulkheadMetrics.class);

    /** How many keys are told apart where they are a tag. */
    static final int MOST_KEYS = 1_000;

    private static final int MOST_CHARACTERS = 200;
    private static final String OTHER = "other";

    private static final Duration[] BUCKETS_OF_CALLS = millis(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
            60_000);
    private static final Duration[] BUCKETS_OF_OPERATIONS = millis(0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000,
            2_500);

    private record Series(String bulkhead, String key, String method) {
    }

    private record Operation(ShareStore.Operation operation, String outcome) {
    }

    private final MeterRegistry registry;
    private final MeterProvider<Counter> calls;
    private final MeterProvider<Timer> waitingDurations;
    private final MeterProvider<Timer> runningDurations;
    private final MeterProvider<Counter> losses;
    private final MeterProvider<Counter> leaks;
    private final MeterProvider<Counter> failedRenewals;
    private final MeterProvider<Timer> operations;
    private final boolean keyTag;
    private final Set<String> namesWithSeries;
    private final Set<String> keys = ConcurrentHashMap.newKeySet();
    private final Map<Series, CallMeters> meters = new ConcurrentHashMap<>();
    private final Map<Operation, Timer> timers = new ConcurrentHashMap<>();
    private final Queue<Gauge> gauges = new ConcurrentLinkedQueue<>();
    // Both are written while this is locked.
    private final List<Cancellable> readings = new ArrayList<>();
    private volatile boolean closed;

    /**
     * Makes no meter yet.
     *
     * @param registry where meters are
     * @param bulkheads knows which names are declared
     * @param config says which other names have series, and whether keys are a tag
     */
    @Inject
    public BulkheadMetrics(MeterRegistry registry, BulkheadRegistry bulkheads, RedisBulkheadRuntimeConfig config) {
        this(registry, new HashSet<>(bulkheads.names()), config.metrics().keyTag());
        config.metrics().names().ifPresent(namesWithSeries::addAll);
    }

    BulkheadMetrics(MeterRegistry registry, Set<String> namesWithSeries, boolean keyTag) {
        this.registry = registry;
        this.calls = counter("calls", "Calls that requested a permit, by result");
        this.waitingDurations = timer("waiting.duration",
                "From the request to the permit or the rejection, except immediate rejections", BUCKETS_OF_CALLS);
        this.runningDurations = timer("running.duration", "From the permit to its release", BUCKETS_OF_CALLS);
        this.losses = counter("permits.lost", "Permits lost before their executions ended");
        this.leaks = counter("permits.leaked", "Permits that code dropped without releasing them");
        this.failedRenewals = counter("renewals.failed", "Failed renewals of leases");
        this.operations = timer("operation.duration", "From a request to the reply of Redis", BUCKETS_OF_OPERATIONS);
        this.namesWithSeries = namesWithSeries;
        this.keyTag = keyTag;
    }

    private MeterProvider<Counter> counter(String name, String description) {
        return Counter.builder("redis.bulkhead." + name).description(description).withRegistry(registry);
    }

    private MeterProvider<Timer> timer(String name, String description, Duration... buckets) {
        return Timer.builder("redis.bulkhead." + name).description(description).serviceLevelObjectives(buckets)
                .withRegistry(registry);
    }

    private static Duration[] millis(double... bounds) {
        return Arrays.stream(bounds).mapToObj(bound -> Duration.ofNanos((long) (bound * 1_000_000))).toArray(Duration[]::new);
    }

    /**
     * Each connection of the extension is the pool of one client. As meters, these would be one: each new one is ignored, and
     * Micrometer warns.
     */
    @Produces
    @Singleton
    static MeterFilter withoutPoolsOfTheExtension() {
        return MeterFilter
                .deny(id -> id.getName().startsWith("redis.pool.") && "redis-bulkhead".equals(id.getTag("pool.name")));
    }

    void begin(@Observes StartupEvent event, BulkheadRegistry bulkheads, RedisBulkheadRuntimeConfig config, Vertx vertx) {
        for (EffectiveBulkhead bulkhead : bulkheads.definitions().bulkheads().values()) {
            if (bulkhead.enabled() && !(keyTag && bulkhead.keyed())) {
                bulkhead.weights().keySet().forEach(method -> meters(BulkheadId.of(bulkhead.spec().name()), method));
            }
        }
        Duration interval = config.metrics().clusterInterval();
        if (!interval.isZero()) {
            // Not on the worker pool of Mutiny: guarded methods may block all of its threads.
            EventLoopGroup loops = ((VertxInternal) vertx).getEventLoopGroup();
            // On a worker thread, because it loads classes: neither the start of the application nor an event loop should wait.
            Arc.container().getExecutorService()
                    .execute(() -> showAll(bulkheads, Multi.createFrom().ticks().onExecutor(loops).every(interval)));
        }
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        // Nothing would remove the gauges later.
        return closed ? CallListener.NONE : meters(bulkhead, method).new Call(weight);
    }

    @Override
    public void lost(PermitLost loss) {
        losses.withTags(tags(new BulkheadId(loss.bulkhead(), loss.key())).and("reason", Texts.label(loss.reason())))
                .increment();
    }

    @Override
    public void leaked(PermitInUse permit) {
        leaks.withTags(tags(permit.bulkhead())).increment();
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        failedRenewals.withTags(tags(bulkhead)).increment(permits);
    }

    @Override
    public void done(ShareStore.Operation operation, Duration time, Throwable failure) {
        String outcome = failure == null ? "success"
                : StoreException.is(failure, StoreException.Kind.CONTENDED) ? "contended" : "failure";
        timers.computeIfAbsent(new Operation(operation, outcome), series -> operations.withTags("operation",
                Texts.label(operation), "outcome", outcome)).record(time);
    }

    /** The meters of the calls of a bulkhead by a method; the registry is asked the first time only. */
    CallMeters meters(BulkheadId bulkhead, String method) {
        Series series = new Series(name(bulkhead), key(bulkhead), method);
        CallMeters known = meters.get(series);
        return known != null ? known : meters.computeIfAbsent(series, missing -> newMeters(bulkhead, method));
    }

    // All counters begin together, so that the first loss is an increase: a series that begins with it would not show one.
    private CallMeters newMeters(BulkheadId bulkhead, String method) {
        Tags tags = tags(bulkhead);
        for (PermitLost.Reason reason : PermitLost.Reason.values()) {
            losses.withTags(tags.and("reason", Texts.label(reason)));
        }
        leaks.withTags(tags);
        failedRenewals.withTags(tags);
        return new CallMeters(tags.and("method", method));
    }

    // All series of a meter have the same tags.
    private Tags tags(BulkheadId bulkhead) {
        Tags tags = Tags.of("bulkhead", name(bulkhead));
        return keyTag ? tags.and("key", key(bulkhead)) : tags;
    }

    private String name(BulkheadId bulkhead) {
        return hasSeries(bulkhead) ? bulkhead.name() : OTHER;
    }

    private String key(BulkheadId bulkhead) {
        return keyTag && hasSeries(bulkhead) ? bulkhead.key().map(this::bounded).orElse("") : "";
    }

    private String bounded(String key) {
        if (!keys.contains(key)) {
            if (key.length() > MOST_CHARACTERS || keys.size() >= MOST_KEYS) {
                return OTHER;
            }
            keys.add(key);
        }
        return key;
    }

    private boolean hasSeries(BulkheadId bulkhead) {
        return namesWithSeries.contains(bulkhead.name());
    }

    // ---- The whole cluster

    private void showAll(BulkheadRegistry bulkheads, Multi<?> ticks) {
        for (EffectiveBulkhead bulkhead : bulkheads.definitions().bulkheads().values()) {
            if (bulkhead.enabled() && !bulkhead.keyed()) {
                String name = bulkhead.spec().name();
                // Loaded here, and not on an event loop; and not where no bulkhead limits anything.
                bulkheads.overview();
                show(name, Uni.createFrom().completionStage(() -> bulkheads.overview().numbers(name)), ticks);
            }
        }
    }

    /**
     * Shows one bulkhead.
     *
     * @param bulkhead its name
     * @param read asks for its state
     * @param ticks when to ask; dropped while a reply is outstanding
     */
    synchronized void show(String bulkhead, Uni<LimitState> read, Multi<?> ticks) {
        if (closed) {
            return;
        }
        // Null while the state is unknown.
        AtomicReference<LimitState> latest = new AtomicReference<>();
        gauge("permits.in.use", bulkhead, latest, state -> state.now().inUse(),
                "Permits in use in the whole cluster, by weight; also those that other instances keep idle");
        gauge("permits.idle", bulkhead, latest, state -> state.now().idle(),
                "Permits that this instance keeps for its next calls");
        gauge("permits.limit", bulkhead, latest, state -> state.limit().getAsInt(), "The current limit in the whole cluster");
        gauge("waiters", bulkhead, latest, state -> state.now().waiting(),
                "Calls in the whole cluster that are waiting for a permit");
        readings.add(ticks.onOverflow().drop().onItem().transformToUniAndConcatenate(tick -> read
                .onFailure().invoke(failure -> LOG.debugf(failure,
                        "Bulkhead '%s' could not be read; its cluster-wide gauges have no value for now", bulkhead))
                .onFailure().recoverWithNull().invoke(latest::set)).subscribe().with(done -> {
                }));
    }

    private void gauge(String name, String bulkhead, AtomicReference<LimitState> latest, Function<LimitState, Integer> number,
            String description) {
        gauge(name, () -> Optional.ofNullable(latest.get()).map(number).orElse(null), Tags.of("bulkhead", bulkhead),
                description);
    }

    /** A value of null is shown as NaN. */
    private void gauge(String name, Supplier<Number> value, Tags tags, String description) {
        gauges.add(Gauge.builder("redis.bulkhead." + name, value).tags(tags).description(description).register(registry));
    }

    // Gauges show the state of this application. What counts may go on counting in the next one of this process.
    @PreDestroy
    synchronized void end() {
        closed = true;
        readings.forEach(Cancellable::cancel);
        gauges.forEach(registry::remove);
    }

    /** The meters of the calls that one method makes of one bulkhead. */
    final class CallMeters {

        private final Map<CallResult, Counter> results = new EnumMap<>(CallResult.class);
        private final Timer waitingDuration;
        private final Timer runningDuration;
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicLong weight = new AtomicLong();

        private CallMeters(Tags tags) {
            for (CallResult result : CallResult.values()) {
                results.put(result, calls.withTags(tags.and("result", Texts.label(result))));
            }
            this.waitingDuration = waitingDurations.withTags(tags);
            this.runningDuration = runningDurations.withTags(tags);
            gauge("executions.waiting", waiting::get, tags, "Calls of this instance that are waiting for a permit");
            gauge("executions.running", running::get, tags, "Current executions in this instance");
            gauge("executions.weight", weight::get, tags, "What the current executions in this instance weigh together");
        }

        private final class Call implements CallListener {

            private final int ofCall;
            private long begunAt;
            private boolean waits;

            private Call(int ofCall) {
                this.ofCall = ofCall;
            }

            @Override
            public void requested() {
                begunAt = now();
            }

            @Override
            public void waiting() {
                waits = true;
                waiting.incrementAndGet();
            }

            @Override
            public void acquired(CallResult result, HeldPermit permit) {
                waitingDuration.record(now() - begunAt, TimeUnit.NANOSECONDS);
                running.incrementAndGet();
                weight.addAndGet(ofCall);
                count(result);
            }

            @Override
            public void rejected(CallResult result) {
                if (waits) {
                    waitingDuration.record(now() - begunAt, TimeUnit.NANOSECONDS);
                }
                count(result);
            }

            private void count(CallResult result) {
                if (waits) {
                    waiting.decrementAndGet();
                }
                results.get(result).increment();
            }

            @Override
            public void released(long heldNanos) {
                running.decrementAndGet();
                weight.addAndGet(-ofCall);
                runningDuration.record(heldNanos, TimeUnit.NANOSECONDS);
            }

            private long now() {
                return registry.config().clock().monotonicTime();
            }
        }
    }
}
