package io.quarkiverse.redisbulkhead.runtime.store.originals;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.originals.BlockingRedis;
import io.quarkiverse.redisbulkhead.originals.Checkpoint;
import io.quarkiverse.redisbulkhead.originals.OriginalClient;
import io.quarkiverse.redisbulkhead.originals.OriginalSemaphore;
import io.quarkiverse.redisbulkhead.originals.OriginalSpec;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;

/** A semaphore of the old texts: a connection for each thread, and the clock of its process. */
record OriginalContender(String name, TestRedis redis, SemaphoreSpec spec,
        BiFunction<OriginalClient, OriginalSpec, OriginalSemaphore> kind) implements Contender {

    @Override
    public Member join(Duration skew) {
        long ahead = skew.toMillis();
        return () -> {
            BlockingRedis connection = new BlockingRedis(redis.vertx(), redis.port());
            OriginalClient client = new OriginalClient(connection, () -> System.currentTimeMillis() + ahead,
                    Checkpoint.NONE);
            return new OriginalCaller(connection, kind.apply(client,
                    new OriginalSpec(spec.name(), spec.permits(), spec.expire().toMillis())));
        };
    }

    private record OriginalCaller(BlockingRedis connection, OriginalSemaphore semaphore) implements Caller {

        @Override
        public Optional<Taken> tryAcquire() {
            return semaphore.acquire().map(identifier -> () -> semaphore.release(identifier));
        }

        @Override
        public long rejectedUnseen() {
            return semaphore.rejectedUnseen();
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
