package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProcess;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;

/**
 * The reference semaphores and ours under the same load: threads of four processes with different clocks. Each thread acquires
 * a permit, is counted, holds it for a moment and releases it. The figures go to standard output and to {@code target}.
 */
class OverAdmissionTest {

    private static final int LIMIT = 5;
    private static final int CALLERS = 16;
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("load").permits(LIMIT).expire(Duration.ofSeconds(10)).build();
    private static final Duration ROUND = Duration.ofMillis(500);
    private static final int MOST_ROUNDS = 120;
    private static final long HOLD_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** After a rejection. The poll interval of the book's lock. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How far the clocks of the four processes are ahead, in milliseconds. Ours do not read them. */
    private enum Clocks {
        AGREE(0, 0, 0, 0),
        APART(0, 50, -50, 0),
        ONE_FAST(0, 50, -50, 3_600_000);

        private final long[] ahead;

        Clocks(long... ahead) {
            this.ahead = ahead;
        }
    }

    private enum Kind {
        BASIC(BasicSemaphore::new),
        FAIR(FairSemaphore::new),
        LOCKED(LockedSemaphore::new),
        SCRIPT(null),
        LOCK(null),
        LOCAL(null);

        private final BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> ofTheBook;

        Kind(BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> ofTheBook) {
            this.ofTheBook = ofTheBook;
        }

        private boolean isOurs() {
            return ofTheBook == null;
        }
    }

    /**
     * @param entries callers that entered with a permit
     * @param beyond entries above the limit
     * @param highest the highest concurrency
     * @param rejections rejected callers
     */
    private record Figures(long entries, long beyond, long highest, long rejections) {
        private Figures plus(Figures other) {
            return new Figures(entries + other.entries, beyond + other.beyond, Math.max(highest, other.highest),
                    rejections + other.rejections);
        }
    }

    private static TestRedis redis;
    private static final List<String> TABLE = new ArrayList<>();
    private final List<Runnable> opened = new ArrayList<>();
    private final AtomicInteger inside = new AtomicInteger();

    @BeforeAll
    static void startRedis() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stopRedis() throws IOException {
        redis.close();
        TABLE.forEach(System.out::println);
        Files.write(Path.of("target", "over-admission.txt"), TABLE);
    }

    @Test
    void basicAndFairExceedTheLimitAndOursNever() {
        for (Clocks clocks : Clocks.values()) {
            for (Kind kind : Kind.values()) {
                boolean mustExceed = kind == Kind.BASIC || kind == Kind.FAIR;
                Figures figures = run(kind, clocks, CALLERS);
                for (int i = 1; mustExceed && figures.beyond() == 0 && i < MOST_ROUNDS; i++) {
                    figures = figures.plus(run(kind, clocks, CALLERS));
                }
                assertThat(figures.entries()).as("%s", kind).isPositive();
                if (mustExceed || kind.isOurs()) {
                    assertThat(figures.beyond() > 0).as("%s exceeds the limit, clocks %s: %s", kind, clocks, figures)
                            .isEqualTo(mustExceed);
                }
            }
        }
    }

    /** As many callers as permits: each rejection is wrong. */
    @Test
    void lockedRejectsFreePermitsAndOursNever() {
        for (Kind kind : Kind.values()) {
            Figures figures = run(kind, Clocks.AGREE, LIMIT);
            for (int i = 1; kind == Kind.LOCKED && figures.rejections() == 0 && i < MOST_ROUNDS; i++) {
                figures = figures.plus(run(kind, Clocks.AGREE, LIMIT));
            }
            if (kind == Kind.LOCKED || kind.isOurs()) {
                assertThat(figures.rejections() > 0).as("%s rejects: %s", kind, figures).isEqualTo(!kind.isOurs());
            }
        }
    }

    private Figures run(Kind kind, Clocks clocks, int callers) {
        redis.command("FLUSHALL");
        List<Supplier<Optional<Runnable>>> all = kind.isOurs() ? ours(kind, callers) : ofTheBook(kind, clocks, callers);
        long end = System.nanoTime() + ROUND.toNanos();
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            Figures figures = all.stream().map(caller -> CompletableFuture.supplyAsync(() -> callUntil(end, caller), threads))
                    .toList().stream().map(run -> run.orTimeout(4, TimeUnit.MINUTES).join()).reduce(Figures::plus)
                    .orElseThrow();
            TABLE.add(kind + ", " + callers + " callers, clocks " + clocks + ": " + figures);
            return figures;
        } finally {
            threads.shutdownNow();
            opened.forEach(Runnable::run);
            opened.clear();
        }
    }

    private Figures callUntil(long end, Supplier<Optional<Runnable>> caller) {
        Figures sum = new Figures(0, 0, 0, 0);
        while (System.nanoTime() - end < 0) {
            Optional<Runnable> release = caller.get();
            if (release.isPresent()) {
                // Counted right after the permit was granted, and no more right before it is released.
                int counted = inside.incrementAndGet();
                sum = sum.plus(new Figures(1, counted > LIMIT ? 1 : 0, counted, 0));
                LockSupport.parkNanos(HOLD_NANOS);
                inside.decrementAndGet();
                release.get().run();
            } else {
                sum = sum.plus(new Figures(0, 0, 0, 1));
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return sum;
    }

    /** Each with a connection of its own, and the clock of its process. */
    private List<Supplier<Optional<Runnable>>> ofTheBook(Kind kind, Clocks clocks, int callers) {
        List<Supplier<Optional<Runnable>>> all = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            long ahead = clocks.ahead[i % clocks.ahead.length];
            BlockingRedis connection = new BlockingRedis(redis.vertx(), redis.port());
            opened.add(connection::close);
            ReferenceSemaphore semaphore = kind.ofTheBook.apply(
                    new ReferenceClient(connection, () -> System.currentTimeMillis() + ahead, Checkpoint.NONE),
                    new ReferenceSpec(SPEC.name(), LIMIT, SPEC.expire().toMillis()));
            all.add(() -> semaphore.acquire().map(identifier -> () -> semaphore.release(identifier)));
        }
        return all;
    }

    /** The threads of a process share its engine. A local store cannot be shared, so there all are one process. */
    private List<Supplier<Optional<Runnable>>> ours(Kind kind, int callers) {
        List<Semaphore> processes = new ArrayList<>();
        if (kind == Kind.LOCAL) {
            Engine engine = new Engine("local", new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
            }, new WaiterLimits(Integer.MAX_VALUE));
            opened.add(engine::close);
            processes.add(new Semaphore(engine, SPEC, true));
        } else {
            for (int i = 0; i < Clocks.AGREE.ahead.length; i++) {
                TestProcess process = new TestProcess(redis, TestStore.valueOf(kind.name()));
                opened.add(process::close);
                processes.add(process.semaphore(SPEC));
            }
        }
        return IntStream.range(0, callers).<Supplier<Optional<Runnable>>> mapToObj(
                i -> () -> tryAcquire(processes.get(i % processes.size()))).toList();
    }

    private static Optional<Runnable> tryAcquire(Semaphore semaphore) {
        Admission admission = semaphore.admit("load");
        try {
            admission.granted().toCompletableFuture().get(3, TimeUnit.MINUTES);
            return Optional.of(() -> admission.end().toCompletableFuture().join());
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(BulkheadFullException.class);
            return Optional.empty();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
