package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.PermitInUse;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.observation.BoundedLabels;
import io.quarkiverse.redisbulkhead.runtime.observation.ConstantLabels;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkus.runtime.StartupEvent;

/**
 * Measures the calls of this process, and losses and failed renewals of their permits. Code may compute the names of locks and
 * undeclared bulkheads, so these share series, except those that the configuration lists. Keys are bounded.
 */
@Singleton
public class CallMetrics implements SemaphoreListener {

    /** How many keys are told apart where they are a tag. */
    static final int MOST_KEYS = 1_000;

    private record Series(String bulkhead, String key, String method) {
    }

    private final MeterRegistry registry;
    private final boolean keyTag;
    private final Supplier<Set<String>> namesWithSeries;
    private final BoundedLabels keys = new BoundedLabels(key -> false, MOST_KEYS);
    private final Map<Series, CallMeters> calls = new ConcurrentHashMap<>();
    // Null before the first call.
    private volatile Set<String> names;
    private volatile boolean closed;

    /**
     * Makes no meter yet.
     *
     * @param registry where meters are
     * @param bulkheads knows which names are declared; needs this bean itself, so it is asked when there are calls
     * @param config says which other names have series, and whether keys are a tag
     */
    @Inject
    public CallMetrics(MeterRegistry registry, Instance<BulkheadRegistry> bulkheads, RedisBulkheadRuntimeConfig config) {
        this(registry, () -> {
            Set<String> names = new HashSet<>(bulkheads.get().names());
            config.metrics().names().ifPresent(names::addAll);
            return names;
        }, config.metrics().keyTag());
    }

    CallMetrics(MeterRegistry registry, Supplier<Set<String>> namesWithSeries, boolean keyTag) {
        this.registry = registry;
        this.namesWithSeries = namesWithSeries;
        this.keyTag = keyTag;
    }

    void begin(@Observes StartupEvent event, BulkheadRegistry bulkheads) {
        for (String bulkhead : bulkheads.names()) {
            if (bulkheads.isEnabled(bulkhead) && !(keyTag && bulkheads.isKeyed(bulkhead))) {
                for (String method : bulkheads.methods(bulkhead)) {
                    meters(BulkheadId.of(bulkhead), method);
                }
            }
        }
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        return onCall(bulkhead, method, 1);
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        // Nothing would remove the gauges later.
        return closed ? CallListener.NONE : meters(bulkhead, method).newCall(weight);
    }

    @Override
    public void lost(PermitLost loss) {
        permitsLost(new BulkheadId(loss.bulkhead(), loss.key()), loss.reason()).increment();
    }

    @Override
    public void leaked(PermitInUse permit) {
        permitsLeaked(permit.bulkhead()).increment();
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        renewalsFailed(bulkhead).increment(permits);
    }

    /** The meters of the calls of a bulkhead by a method; the registry is asked the first time only. */
    CallMeters meters(BulkheadId bulkhead, String method) {
        Series series = new Series(name(bulkhead), key(bulkhead), method);
        CallMeters known = calls.get(series);
        return known != null ? known : calls.computeIfAbsent(series, missing -> newMeters(bulkhead, method));
    }

    // All counters begin together, so that the first loss is an increase: a series that begins with it would not show one.
    private CallMeters newMeters(BulkheadId bulkhead, String method) {
        for (PermitLost.Reason reason : PermitLost.Reason.values()) {
            permitsLost(bulkhead, reason);
        }
        permitsLeaked(bulkhead);
        renewalsFailed(bulkhead);
        return new CallMeters(registry, tags(bulkhead).and(MeterNames.METHOD, method));
    }

    private Counter permitsLost(BulkheadId bulkhead, PermitLost.Reason reason) {
        return Counter.builder(MeterNames.PERMITS_LOST).tags(tags(bulkhead))
                .tag(MeterNames.REASON, ConstantLabels.of(reason))
                .description("Permits lost before their executions ended").register(registry);
    }

    private Counter permitsLeaked(BulkheadId bulkhead) {
        return Counter.builder(MeterNames.PERMITS_LEAKED).tags(tags(bulkhead))
                .description("Permits that code dropped without releasing them").register(registry);
    }

    private Counter renewalsFailed(BulkheadId bulkhead) {
        return Counter.builder(MeterNames.RENEWALS_FAILED).tags(tags(bulkhead))
                .description("Failed renewals of leases").register(registry);
    }

    // All series of a meter have the same tags.
    private Tags tags(BulkheadId bulkhead) {
        Tags tags = Tags.of(MeterNames.BULKHEAD, name(bulkhead));
        return keyTag ? tags.and(MeterNames.KEY, key(bulkhead)) : tags;
    }

    private String name(BulkheadId bulkhead) {
        return hasSeries(bulkhead) ? bulkhead.name() : BoundedLabels.OTHER;
    }

    private String key(BulkheadId bulkhead) {
        return keyTag && hasSeries(bulkhead) ? bulkhead.key().map(keys::of).orElse("") : "";
    }

    private boolean hasSeries(BulkheadId bulkhead) {
        Set<String> known = names;
        if (known == null) {
            known = namesWithSeries.get();
            names = known;
        }
        return known.contains(bulkhead.name());
    }

    @PreDestroy
    void end() {
        closed = true;
        calls.values().forEach(CallMeters::close);
    }
}
