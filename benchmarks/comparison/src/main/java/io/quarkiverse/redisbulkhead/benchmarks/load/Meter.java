package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import com.sun.management.OperatingSystemMXBean;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisReading;
import redis.clients.jedis.Jedis;

/** Measures what callers, and Redis for them, use. Nothing else may use this process or Redis meanwhile. */
public final class Meter implements AutoCloseable {

    private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Jedis jedis;

    /**
     * @param jedis an own connection to Redis, which it closes
     */
    public Meter(Jedis jedis) {
        this.jedis = jedis;
    }

    /** Lets callers work, and measures. */
    public RoundFigures measure(Crew crew, Duration duration) throws InterruptedException {
        RedisReading before = RedisReading.of(jedis);
        Allocations allocations = Allocations.now();
        long cpu = PROCESS.getProcessCpuTime();
        Work work = crew.work(duration);
        long cpuNanos = PROCESS.getProcessCpuTime() - cpu;
        long bytes = Allocations.now().since(allocations);
        return RoundFigures.of(work, RedisReading.of(jedis).since(before), bytes, cpuNanos);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
