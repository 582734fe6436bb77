package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** Redisson's plain semaphore: a counter. Permits of a process that dies are lost. */
final class RedissonPlain implements Contender {

    private final RedissonClient client;
    private final RSemaphore semaphore;
    private final Duration wait;

    RedissonPlain(BenchmarkEnvironment environment, Limit limit) {
        client = environment.newRedisson();
        semaphore = client.getSemaphore(limit.name());
        semaphore.trySetPermits(limit.permits());
        wait = limit.maxWait();
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return execution -> {
            requirePermit(wait.isZero() ? semaphore.tryAcquire() : semaphore.tryAcquire(wait));
            execution.run();
            semaphore.release();
        };
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return new AsynchronousCaller() {

            @Override
            public void pair(Runnable execution, Consumer<Throwable> end) {
                CompletionStage<Boolean> taken = wait.isZero() ? semaphore.tryAcquireAsync() : semaphore.tryAcquireAsync(wait);
                taken.thenCompose(held -> {
                    requirePermit(held);
                    execution.run();
                    return semaphore.releaseAsync();
                }).whenComplete((released, failure) -> end.accept(failure));
            }
        };
    }

    private static void requirePermit(boolean held) {
        if (!held) {
            throw new RejectedException();
        }
    }

    @Override
    public void close() {
        semaphore.delete();
        client.shutdown();
    }
}
