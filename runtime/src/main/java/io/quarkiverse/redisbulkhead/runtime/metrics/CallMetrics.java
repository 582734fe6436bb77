package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

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
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.observation.BoundedLabels;
import io.quarkiverse.redisbulkhead.runtime.observation.ConstantLabels;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.semaphore.CallListener;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkus.runtime.StartupEvent;

/**
 * Measures the calls of this process, and losses and failed renewals of their permits. The number of names and keys that code
 * makes at run time, and that become tags, is bounded.
 */
@Singleton
public class CallMetrics implements SemaphoreListener {

    /** How many keys are told apart where they are a tag. */
    static final int MOST_KEYS = 1_000;

    private record Series(String bulkhead, String key, String method) {
    }

    private final MeterRegistry registry;
    private final boolean keyTag;
    private final BoundedLabels names;
    private final BoundedLabels keys = new BoundedLabels(key -> false, MOST_KEYS);
    private final Map<Series, CallMeters> calls = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Makes no meter yet.
     *
     * @param registry where meters are
     * @param bulkheads knows which names are declared; needs this bean itself, so it is asked when there are calls
     * @param config says whether keys are a tag
     */
    @Inject
    public CallMetrics(MeterRegistry registry, Instance<BulkheadRegistry> bulkheads, RedisBulkheadRuntimeConfig config) {
        this(registry, name -> bulkheads.get().names().contains(name), config.metrics().keyTag());
    }

    CallMetrics(MeterRegistry registry, Predicate<String> declared, boolean keyTag) {
        this.registry = registry;
        this.keyTag = keyTag;
        this.names = new BoundedLabels(declared, BoundedLabels.MOST_UNDECLARED_NAMES);
    }

    // So that the first event of a kind is an increase, which a series that begins with it would not show.
    void begin(@Observes StartupEvent event, BulkheadRegistry bulkheads) {
        for (DeclaredBulkhead bulkhead : bulkheads.overview().declared()) {
            if (bulkhead.enabled() && !(keyTag && bulkhead.keyed())) {
                BulkheadId id = BulkheadId.of(bulkhead.name());
                bulkhead.methods().forEach(method -> meters(id, method));
                for (PermitLost.Reason reason : PermitLost.Reason.values()) {
                    permitsLost(id, reason);
                }
                renewalsFailed(id);
            }
        }
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        // Nothing would remove the gauges later.
        return closed ? CallListener.NONE : meters(bulkhead, method).newCall();
    }

    @Override
    public void lost(PermitLost loss) {
        permitsLost(new BulkheadId(loss.bulkhead(), loss.key()), loss.reason()).increment();
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        renewalsFailed(bulkhead).increment(permits);
    }

    /** The meters of the calls of a bulkhead by a method; the registry is asked the first time only. */
    CallMeters meters(BulkheadId bulkhead, String method) {
        Series series = new Series(names.of(bulkhead.name()), key(bulkhead), method);
        CallMeters known = calls.get(series);
        return known != null ? known
                : calls.computeIfAbsent(series,
                        missing -> new CallMeters(registry, tags(bulkhead).and(MeterNames.METHOD, method)));
    }

    private Counter permitsLost(BulkheadId bulkhead, PermitLost.Reason reason) {
        return Counter.builder(MeterNames.PERMITS_LOST).tags(tags(bulkhead))
                .tag(MeterNames.REASON, ConstantLabels.of(reason))
                .description("Permits that were lost before their executions ended").register(registry);
    }

    private Counter renewalsFailed(BulkheadId bulkhead) {
        return Counter.builder(MeterNames.RENEWALS_FAILED).tags(tags(bulkhead))
                .description("How often the lease of a permit could not be lengthened").register(registry);
    }

    // All series of a meter have the same tags.
    private Tags tags(BulkheadId bulkhead) {
        Tags tags = Tags.of(MeterNames.BULKHEAD, names.of(bulkhead.name()));
        return keyTag ? tags.and(MeterNames.KEY, key(bulkhead)) : tags;
    }

    private String key(BulkheadId bulkhead) {
        Optional<String> key = keyTag ? bulkhead.key() : Optional.empty();
        return key.map(keys::of).orElse("");
    }

    @PreDestroy
    void end() {
        closed = true;
        calls.values().forEach(CallMeters::close);
    }
}
