package io.quarkiverse.redisbulkhead.benchmarks.contender;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.function.Consumer;

import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** Redisson's semaphore whose permits have an id and a lease: the nearest to ours. */
final class RedissonExpirable implements Contender {

    private static final int CHUNK = 1_000;
    private static final long LEASE = Limit.LEASE.toMillis();

    private final RedissonClient client;
    private final RPermitExpirableSemaphore semaphore;
    private final long wait;

    RedissonExpirable(BenchmarkEnvironment environment, Limit limit) {
        client = environment.newRedisson();
        semaphore = client.getPermitExpirableSemaphore(limit.name());
        semaphore.trySetPermits(limit.permits());
        wait = limit.maxWait().toMillis();
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return execution -> {
            String permit = semaphore.tryAcquire(wait, LEASE, MILLISECONDS);
            if (permit == null) {
                throw new RejectedException();
            }
            execution.run();
            semaphore.release(permit);
        };
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return new AsynchronousCaller() {

            @Override
            public void pair(Runnable execution, Consumer<Throwable> end) {
                semaphore.tryAcquireAsync(wait, LEASE, MILLISECONDS).thenCompose(permit -> {
                    if (permit == null) {
                        throw new RejectedException();
                    }
                    execution.run();
                    return semaphore.releaseAsync(permit);
                }).whenComplete((released, failure) -> end.accept(failure));
            }
        };
    }

    @Override
    public void hold(int permits) throws InterruptedException {
        for (int held = 0; held < permits; held += CHUNK) {
            semaphore.tryAcquire(Math.min(CHUNK, permits - held), 0, Limit.LONG_LEASE.toMillis(), MILLISECONDS);
        }
    }

    @Override
    public void close() {
        semaphore.delete();
        client.shutdown();
    }
}
