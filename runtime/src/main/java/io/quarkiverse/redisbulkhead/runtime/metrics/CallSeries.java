package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.observation.BoundedLabels;
import io.quarkiverse.redisbulkhead.runtime.observation.ConstantLabels;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** The meters of calls and of their permits. Names and keys that are made while the application runs are bounded. */
final class CallSeries {

    /** How many keys are told apart where they are a tag. */
    static final int MOST_KEYS = 1_000;

    private record Series(String bulkhead, String key, String method) {
    }

    private final MeterRegistry registry;
    private final boolean keyTag;
    private final BoundedLabels names;
    private final BoundedLabels keys = new BoundedLabels(key -> false, MOST_KEYS);
    private volatile boolean closed;
    private final Map<Series, CallMeters> calls = new ConcurrentHashMap<>();

    /**
     * Makes no meter yet.
     *
     * @param registry where meters are
     * @param declared which names are declared
     * @param keyTag whether keys are a tag
     */
    CallSeries(MeterRegistry registry, Predicate<String> declared, boolean keyTag) {
        this.registry = registry;
        this.keyTag = keyTag;
        this.names = new BoundedLabels(declared, BoundedLabels.MOST_UNDECLARED_NAMES);
    }

    /** The meters of the calls of a bulkhead by a method; the registry is asked the first time only. */
    CallMeters calls(BulkheadId bulkhead, String method) {
        Series series = new Series(names.of(bulkhead.name()), key(bulkhead), method);
        CallMeters known = calls.get(series);
        return known != null ? known
                : calls.computeIfAbsent(series,
                        missing -> new CallMeters(registry, tags(bulkhead).and(MeterNames.METHOD, method)));
    }

    /** Whether {@link #close()} has been called. */
    boolean isClosed() {
        return closed;
    }

    /** See {@link CallMeters#close()}. */
    void close() {
        closed = true;
        calls.values().forEach(CallMeters::close);
    }

    Counter permitsLost(BulkheadId bulkhead, PermitLost.Reason reason) {
        return Counter.builder(MeterNames.PERMITS_LOST).tags(tags(bulkhead))
                .tag(MeterNames.REASON, ConstantLabels.of(reason))
                .description("Permits that were lost before their executions ended").register(registry);
    }

    Counter renewalsFailed(BulkheadId bulkhead) {
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
}
