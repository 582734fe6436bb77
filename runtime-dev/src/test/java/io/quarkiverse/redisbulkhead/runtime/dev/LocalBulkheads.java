package io.quarkiverse.redisbulkhead.runtime.dev;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.smallrye.mutiny.Uni;

/** Bulkheads in memory with five permits each; {@code reports} and the keyed {@code pages} are declared. */
final class LocalBulkheads {

    final Engine engine = new Engine("one", new NoTimers(), new HolderIdentity("shop", "host:1"), loss -> {
    }, new WaiterLimits(Integer.MAX_VALUE));

    int reads;
    long now;
    RuntimeException failure;
    final Overview overview = new Overview(Map.of("reports", declared("reports", false), "pages", declared("pages", true)),
            name -> Optional.empty(), () -> {
                reads++;
                return List.of();
            },
            name -> view(new Semaphore(engine, SemaphoreSpec.named(name).permits(1).build(), true)), () -> {
                if (failure != null) {
                    throw failure;
                }
                return engine;
            }, () -> now);

    /** Nothing waits here, and no lease is renewed. */
    private static final class NoTimers implements Timers {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Planned after(Duration delay, Runnable task) {
            return () -> {
            };
        }
    }

    private static EffectiveBulkhead declared(String name, boolean keyed) {
        return new EffectiveBulkhead(spec(name), true, keyed, new TreeMap<>());
    }

    private static SemaphoreSpec spec(String name) {
        return SemaphoreSpec.named(name).permits(5).build();
    }

    /** Acquires a permit that is never released. */
    String take(String name) {
        return taken(new Semaphore(engine, spec(name), true));
    }

    /** Acquires a permit of a key that is never released. */
    String take(String name, String key) {
        return taken(new Semaphore(engine, spec(name), true).forKey(key, OptionalInt.empty()));
    }

    private static String taken(Semaphore semaphore) {
        try {
            return semaphore.admit("Job#run").granted().toCompletableFuture().get(10, TimeUnit.SECONDS).get(0).id();
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Later requests read again. */
    void passASecond() {
        now += Duration.ofSeconds(1).toNanos();
    }

    /** The limits in use of a bulkhead. */
    List<LimitState> limits(String name) {
        passASecond();
        return overview.snapshot().await().indefinitely().bulkhead(name).limits();
    }

    private static RedisSemaphore view(Semaphore semaphore) {
        return (RedisSemaphore) Proxy.newProxyInstance(RedisSemaphore.class.getClassLoader(),
                new Class<?>[] { RedisSemaphore.class }, (self, method, arguments) -> switch (method.getName()) {
                    case "forKey" -> view(semaphore.forKey((String) arguments[0], OptionalInt.empty()));
                    case "revokeAsync" -> Uni.createFrom().completionStage(() -> semaphore.revoke((String) arguments[0]));
                    case "resizeAsync" -> Uni.createFrom().completionStage(() -> semaphore.resize((Integer) arguments[0]));
                    case "resetSizeAsync" -> Uni.createFrom().completionStage(semaphore::resetSize);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
