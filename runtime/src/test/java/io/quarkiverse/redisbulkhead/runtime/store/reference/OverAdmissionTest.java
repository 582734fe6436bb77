package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.reference.BasicSemaphore;
import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.quarkiverse.redisbulkhead.reference.Checkpoint;
import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProcess;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;

/**
 * The reference semaphores and ours under the same load: threads of four simulated instances with different clocks. The figures
 * go to standard output.
 */
class OverAdmissionTest {

    private static final int LIMIT = 5;
    private static final int CALLERS = 16;
    private static final Duration ROUND = Duration.ofMillis(500);
    private static final Duration LONGEST_SEARCH = Duration.ofSeconds(60);
    private static final long HOLD_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** The poll interval of the book's lock. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("load").permits(LIMIT).expire(Duration.ofSeconds(10)).build();

    /** The clock skew of the four instances. */
    enum Clocks {

        AGREE(0, 0, 0, 0),
        ARE_50_MS_APART(0, 50, -50, 0),
        ONE_IS_1_H_AHEAD(0, 50, -50, 3_600_000);

        final long[] skews;

        Clocks(long... millis) {
            this.skews = millis;
        }
    }

    /** A permit that can be released. */
    private interface Acquired {

        void release();
    }

    /** A thread that requests permits: empty if rejected. */
    private interface Caller {

        Optional<Acquired> tryAcquire();
    }

    /** What a run counted, independently of the semaphore. */
    private static final class Figures {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger entries = new AtomicInteger();
        private final AtomicInteger beyond = new AtomicInteger();
        private final AtomicInteger rejections = new AtomicInteger();

        private void call(Caller caller) {
            Optional<Acquired> permit = caller.tryAcquire();
            if (permit.isEmpty()) {
                rejections.incrementAndGet();
                LockSupport.parkNanos(PAUSE_NANOS);
                return;
            }
            entries.incrementAndGet();
            beyond.addAndGet(inside.incrementAndGet() > LIMIT ? 1 : 0);
            LockSupport.parkNanos(HOLD_NANOS);
            // Before the release, so that its successor is not counted too early.
            inside.decrementAndGet();
            permit.get().release();
        }

        @Override
        public String toString() {
            return entries + " entries, " + beyond + " beyond the limit, " + rejections + " rejections";
        }
    }

    private final TestRedis redis = new TestRedis();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        redis.close();
    }

    /** By the skew of the clock of its instance, a new caller. */
    private Function<Long, Caller> book(BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind) {
        ReferenceSpec spec = new ReferenceSpec(SPEC.name(), LIMIT, SPEC.expire().toMillis());
        return skew -> {
            BlockingRedis connection = new BlockingRedis(redis.vertx(), redis.port());
            opened.add(connection::close);
            ReferenceSemaphore semaphore = kind.apply(
                    new ReferenceClient(connection, () -> System.currentTimeMillis() + skew, Checkpoint.NONE), spec);
            return () -> semaphore.acquire().map(identifier -> () -> semaphore.release(identifier));
        };
    }

    /** Ours read no clock of their instance. */
    private Function<Long, Caller> ours(TestStore store) {
        List<Semaphore> instances = new ArrayList<>();
        for (int i = 0; i < Clocks.AGREE.skews.length; i++) {
            TestProcess process = new TestProcess(redis, store);
            opened.add(process);
            instances.add(process.semaphore(SPEC));
        }
        AtomicInteger next = new AtomicInteger();
        return skew -> {
            Semaphore semaphore = instances.get(next.getAndIncrement() % instances.size());
            return () -> acquire(semaphore);
        };
    }

    private static Optional<Acquired> acquire(Semaphore semaphore) {
        Admission admission = semaphore.admit("load");
        try {
            admission.granted().toCompletableFuture().get(3, TimeUnit.MINUTES);
            return Optional.of(() -> admission.end().toCompletableFuture().join());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BulkheadFullException) {
                return Optional.empty();
            }
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Figures run(String name, Function<Long, Caller> contender, Clocks clocks, int callers) {
        redis.command("FLUSHALL");
        Figures figures = new Figures();
        List<Caller> all = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            all.add(contender.apply(clocks.skews[i % clocks.skews.length]));
        }
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        long end = System.nanoTime() + ROUND.toNanos();
        try {
            CompletableFuture.allOf(all.stream().map(caller -> CompletableFuture.runAsync(() -> {
                while (System.nanoTime() - end < 0) {
                    figures.call(caller);
                }
            }, threads)).toArray(CompletableFuture[]::new)).get(5, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
        System.out.println(name + ", clocks " + clocks + ": " + figures);
        return figures;
    }

    private static void search(Supplier<Figures> run, Function<Figures, AtomicInteger> defect) {
        long end = System.nanoTime() + LONGEST_SEARCH.toNanos();
        int found = 0;
        while (found == 0 && System.nanoTime() - end < 0) {
            found = defect.apply(run.get()).get();
        }
        assertThat(found).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Clocks.class)
    void basicAndFairExceedTheLimitAndOursNever(Clocks clocks) {
        search(() -> run("basic", book(BasicSemaphore::new), clocks, CALLERS), figures -> figures.beyond);
        search(() -> run("fair", book(FairSemaphore::new), clocks, CALLERS), figures -> figures.beyond);
        Arrays.stream(TestStore.values()).forEach(store -> {
            Figures figures = run("store=" + store, ours(store), clocks, CALLERS);
            assertThat(figures.entries).hasPositiveValue();
            assertThat(figures.beyond).hasValue(0);
        });
    }

    /** As many callers as permits: each rejection is wrong. */
    @Test
    void lockedRejectsFreePermitsAndOursNever() {
        search(() -> run("locked", book(LockedSemaphore::new), Clocks.AGREE, LIMIT), figures -> figures.rejections);
        Arrays.stream(TestStore.values()).forEach(store -> assertThat(
                run("store=" + store, ours(store), Clocks.AGREE, LIMIT).rejections).hasValue(0));
    }
}
