package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.quarkiverse.redisbulkhead.reference.Checkpoint;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/**
 * A semaphore of the old texts, with a connection for each caller. It cannot wait: a rejected caller asks again a
 * millisecond later, as the book does for its lock.
 */
final class ReferenceContender implements Contender {

    private static final String OWNERS = ":owner";
    private static final String COUNTER = ":counter";
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BenchmarkEnvironment environment;
    private final ReferenceSpec spec;
    private final BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind;

    ReferenceContender(BenchmarkEnvironment environment, Limit limit,
            BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind) {
        this.environment = environment;
        this.spec = new ReferenceSpec(limit.name(), limit.permits(), Limit.LEASE.toMillis());
        this.kind = kind;
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        BlockingRedis connection = new BlockingRedis(environment.vertx(), environment.redis().port());
        ReferenceSemaphore semaphore = kind.apply(new ReferenceClient(connection, System::currentTimeMillis, Checkpoint.NONE),
                spec);
        return new BlockingCaller() {

            @Override
            public void pair(Runnable execution) {
                Optional<String> permit = semaphore.acquire();
                while (permit.isEmpty()) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                    permit = semaphore.acquire();
                }
                execution.run();
                semaphore.release(permit.get());
            }

            @Override
            public void close() {
                connection.close();
            }
        };
    }

    /** By the keys that all three have; what has a time counts as held until the lease is over since then. */
    @Override
    public void hold(int permits) {
        long later = System.currentTimeMillis() + Limit.LONG_LEASE.toMillis();
        try (Jedis jedis = environment.redis().connect(); Pipeline pipeline = jedis.pipelined()) {
            for (int number = 1; number <= permits; number++) {
                String identifier = UUID.randomUUID().toString();
                pipeline.zadd(spec.name(), later, identifier);
                pipeline.zadd(spec.name() + OWNERS, number, identifier);
            }
            pipeline.set(spec.name() + COUNTER, Integer.toString(permits));
        }
    }

    @Override
    public void close() {
        try (Jedis jedis = environment.redis().connect()) {
            jedis.unlink(spec.name(), spec.name() + OWNERS, spec.name() + COUNTER);
        }
    }
}
