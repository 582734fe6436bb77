package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.observation.ConstantLabels;

/** The meters of the calls that one method makes of one bulkhead. */
final class CallMeters {

    private final MeterRegistry registry;
    private final Clock clock;
    private final Map<CallResult, Counter> calls = new EnumMap<>(CallResult.class);
    private final Timer waitingDuration;
    private final Timer runningDuration;
    private final List<Gauge> gauges;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();

    CallMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.clock = registry.config().clock();
        for (CallResult result : CallResult.values()) {
            calls.put(result, Counter.builder(MeterNames.CALLS).tags(tags).tag(MeterNames.RESULT, ConstantLabels.of(result))
                    .description("Calls that requested a permit, by result").register(registry));
        }
        this.waitingDuration = timer(MeterNames.WAITING_DURATION, tags,
                "From the request to the permit or the rejection, except immediate rejections");
        this.runningDuration = timer(MeterNames.RUNNING_DURATION, tags, "From the permit to its release");
        this.gauges = List.of(
                gauge(MeterNames.EXECUTIONS_WAITING, tags, waiting, "Calls of this instance that are waiting for a permit"),
                gauge(MeterNames.EXECUTIONS_RUNNING, tags, running, "Current executions in this instance"));
    }

    private Timer timer(String name, Tags tags, String description) {
        return Timer.builder(name).tags(tags).description(description)
                .serviceLevelObjectives(MeterNames.bucketsOfCalls()).register(registry);
    }

    private Gauge gauge(String name, Tags tags, AtomicInteger value, String description) {
        return Gauge.builder(name, value, AtomicInteger::get).tags(tags).description(description).strongReference(true)
                .register(registry);
    }

    /** Removes what shows the state of this application. What counts may go on counting in the next one of this process. */
    void close() {
        gauges.forEach(registry::remove);
    }

    /** Measures one more call. */
    CallListener newCall() {
        return new Call();
    }

    private final class Call implements CallListener {

        private long begunAt;
        private long runsSince;
        private boolean waits;

        @Override
        public void requested() {
            begunAt = clock.monotonicTime();
        }

        @Override
        public void waiting() {
            waits = true;
            waiting.incrementAndGet();
        }

        @Override
        public void acquired(CallResult result, long fencingToken) {
            runsSince = clock.monotonicTime();
            waitingDuration.record(runsSince - begunAt, TimeUnit.NANOSECONDS);
            running.incrementAndGet();
            count(result);
        }

        @Override
        public void rejected(CallResult result) {
            if (waits) {
                waitingDuration.record(clock.monotonicTime() - begunAt, TimeUnit.NANOSECONDS);
            }
            count(result);
        }

        private void count(CallResult result) {
            if (waits) {
                waiting.decrementAndGet();
            }
            calls.get(result).increment();
        }

        @Override
        public void released(long heldNanos) {
            running.decrementAndGet();
            runningDuration.record(clock.monotonicTime() - runsSince, TimeUnit.NANOSECONDS);
        }
    }
}
