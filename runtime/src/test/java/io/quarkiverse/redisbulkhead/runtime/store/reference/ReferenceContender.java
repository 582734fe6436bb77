package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.quarkiverse.redisbulkhead.reference.Checkpoint;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;

/** A reference semaphore: a connection per thread, and the clock of its process. */
record ReferenceContender(String name, TestRedis redis, SemaphoreSpec spec,
        BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind) implements Contender {

    @Override
    public Member join(Duration skew) {
        long ahead = skew.toMillis();
        return () -> {
            BlockingRedis connection = new BlockingRedis(redis.vertx(), redis.port());
            ReferenceClient client = new ReferenceClient(connection, () -> System.currentTimeMillis() + ahead,
                    Checkpoint.NONE);
            return new ReferenceCaller(connection, kind.apply(client,
                    new ReferenceSpec(spec.name(), spec.permits(), spec.expire().toMillis())));
        };
    }

    private record ReferenceCaller(BlockingRedis connection, ReferenceSemaphore semaphore) implements Caller {

        @Override
        public Optional<Acquired> tryAcquire() {
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
