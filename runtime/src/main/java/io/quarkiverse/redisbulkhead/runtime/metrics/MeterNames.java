package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.Arrays;

/**
 * The names of meters and tags. Micrometer turns them into those of the monitoring system: for Prometheus, it replaces dots by
 * underscores, and adds {@code _total} to counters and {@code _seconds} to timers.
 */
final class MeterNames {

    static final String CALLS = "redis.bulkhead.calls";
    static final String EXECUTIONS_RUNNING = "redis.bulkhead.executions.running";
    static final String EXECUTIONS_WAITING = "redis.bulkhead.executions.waiting";
    static final String EXECUTIONS_WEIGHT = "redis.bulkhead.executions.weight";
    static final String RUNNING_DURATION = "redis.bulkhead.running.duration";
    static final String WAITING_DURATION = "redis.bulkhead.waiting.duration";
    static final String PERMITS_LOST = "redis.bulkhead.permits.lost";
    static final String PERMITS_LEAKED = "redis.bulkhead.permits.leaked";
    static final String RENEWALS_FAILED = "redis.bulkhead.renewals.failed";
    static final String OPERATION_DURATION = "redis.bulkhead.operation.duration";
    static final String PERMITS_IN_USE = "redis.bulkhead.permits.in.use";
    static final String PERMITS_IDLE = "redis.bulkhead.permits.idle";
    static final String PERMITS_LIMIT = "redis.bulkhead.permits.limit";
    static final String WAITERS = "redis.bulkhead.waiters";

    static final String BULKHEAD = "bulkhead";
    static final String METHOD = "method";
    static final String KEY = "key";
    static final String RESULT = "result";
    static final String REASON = "reason";
    static final String OPERATION = "operation";
    static final String OUTCOME = "outcome";

    private static final long[] BUCKETS_OF_CALLS_MILLIS = { 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
            60_000 };
    private static final long[] BUCKETS_OF_OPERATIONS_MICROS = { 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000,
            250_000, 500_000, 1_000_000, 2_500_000 };

    private MeterNames() {
    }

    /** The upper bounds of the buckets for how long calls wait and run. */
    static Duration[] bucketsOfCalls() {
        return Arrays.stream(BUCKETS_OF_CALLS_MILLIS).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }

    /** The upper bounds of the buckets for how long the store takes. */
    static Duration[] bucketsOfOperations() {
        return Arrays.stream(BUCKETS_OF_OPERATIONS_MICROS).mapToObj(micros -> Duration.ofNanos(micros * 1_000))
                .toArray(Duration[]::new);
    }
}
