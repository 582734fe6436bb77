package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.smallrye.mutiny.Uni;

/** The public view of a semaphore. */
final class SemaphoreView extends BulkheadView implements RedisSemaphore {

    /** What a bulkhead says about keys. */
    enum Keys {
        /** The bulkhead has one limit for each key. */
        NEEDED,
        /** The bulkhead has one limit for all calls. */
        NONE,
        /** Unknown: the bulkhead is defined in code. */
        ANY
    }

    private final Keys keys;

    SemaphoreView(Semaphore semaphore, Keys keys, BulkheadRuntime runtime) {
        super("RedisSemaphore", semaphore, runtime);
        this.keys = keys;
    }

    @Override
    public RedisSemaphore forKey(String key) {
        return forKey(ResolvedKey.of(key));
    }

    @Override
    public RedisSemaphore forKey(String key, int permits) {
        return forKey(ResolvedKey.of(key).withPermits(permits));
    }

    private RedisSemaphore forKey(ResolvedKey key) {
        String name = spec().name();
        if (semaphore.id().key().isPresent()) {
            throw new IllegalStateException(
                    "This semaphore already belongs to one key of bulkhead '" + name + "'. Call forKey on "
                            + "RedisBulkheads.semaphore(\"" + name + "\")");
        }
        if (keys == Keys.NONE) {
            throw new IllegalStateException("Bulkhead '" + name + "' has one limit for all calls, because its "
                    + "annotation has neither a @BulkheadKey nor a keyResolver. Use another name for a bulkhead with "
                    + "keys");
        }
        return new SemaphoreView(semaphore.forKey(key.key(), key.permits()), Keys.ANY, runtime);
    }

    @Override
    public boolean needsKey() {
        return keys == Keys.NEEDED;
    }

    @Override
    public Optional<String> key() {
        return semaphore.id().key();
    }

    @Override
    Semaphore limit() {
        if (needsKey()) {
            String name = spec().name();
            throw new IllegalStateException("Bulkhead '" + name + "' has one limit per key. Select the key with "
                    + "semaphore(\"" + name + "\").forKey(key)");
        }
        return semaphore;
    }

    private Semaphore within(int weight, Duration maxWait) {
        return limit().weighing(weight).within(maxWait);
    }

    @Override
    public SemaphoreSpec spec() {
        return semaphore.spec();
    }

    @Override
    public Optional<Permit> tryAcquire(int weight) {
        return tryAcquire(within(weight, Duration.ZERO), "tryAcquire");
    }

    @Override
    public Uni<Optional<Permit>> tryAcquireAsync(int weight) {
        return tryAcquireAsync(within(weight, Duration.ZERO));
    }

    @Override
    public Permit acquire(int weight, Duration maxWait) {
        return acquire(within(weight, maxWait), "acquire");
    }

    @Override
    public Uni<Permit> acquireAsync(int weight, Duration maxWait) {
        return acquireAsync(within(weight, maxWait));
    }

    @Override
    public SemaphoreStatus status() {
        return await("status", limit()::status);
    }

    @Override
    public Uni<SemaphoreStatus> statusAsync() {
        return answer(limit()::status);
    }

    @Override
    public List<Holder> holders() {
        return await("holders", limit()::holders);
    }

    @Override
    public Uni<List<Holder>> holdersAsync() {
        return answer(limit()::holders);
    }

    @Override
    public boolean revoke(String permitId) {
        return await("revoke", revocation(permitId));
    }

    @Override
    public Uni<Boolean> revokeAsync(String permitId) {
        return answer(revocation(permitId));
    }

    private Supplier<CompletionStage<Boolean>> revocation(String permitId) {
        if (permitId == null) {
            throw new IllegalArgumentException("permitId must not be null");
        }
        Semaphore limit = limit();
        return () -> limit.revoke(permitId);
    }

    @Override
    public void resize(int permits) {
        await("resize", resizing(permits));
    }

    @Override
    public Uni<Void> resizeAsync(int permits) {
        return answer(resizing(permits));
    }

    private Supplier<CompletionStage<Void>> resizing(int permits) {
        int size = spec().toBuilder().weight(1).permits(permits).build().permits();
        Semaphore limit = limit();
        return () -> limit.resize(size);
    }

    @Override
    public boolean resetSize() {
        return await("resetSize", limit()::resetSize);
    }

    @Override
    public Uni<Boolean> resetSizeAsync() {
        return answer(limit()::resetSize);
    }
}
