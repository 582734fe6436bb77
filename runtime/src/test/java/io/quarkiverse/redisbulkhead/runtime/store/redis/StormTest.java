package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/**
 * Three processes use one small bulkhead as unkindly as they can. {@code -Dload.seconds} sets for how long, {@code
 * -Dstorm.seed} the first random number.
 */
class StormTest {

    /** How. */
    enum Storm {
        /** Calls give up while they are served, and recalls are on their way. */
        CANCELLED_CALLS(spec()),
        /** Calls that need all permits alternate with light ones. */
        WEIGHTS(spec().fair(true)),
        /** Permits stay taken after their executions, or change their process. */
        TRANSFERS(spec().minHold(Duration.ofMillis(20)).keepIdle(Duration.ofMillis(100))),
        /** The server stands still, for more and less than a lease. */
        STOPPED_SERVER(spec().expire(Duration.ofSeconds(2)).minHold(Duration.ofMillis(5)));

        private final SemaphoreSpec spec;

        private static SemaphoreSpec.Builder spec() {
            return SemaphoreSpec.named("storm").permits(PERMITS).expire(Duration.ofSeconds(20)).maxWait(Duration.ofMinutes(1));
        }

        Storm(SemaphoreSpec.Builder spec) {
            this.spec = spec.build();
        }
    }

    private static final int PERMITS = 3;
    private static final int CALLERS = 6;
    private static final int SECONDS = Integer.getInteger("load.seconds", 1);
    private static final long SEED = Long.getLong("storm.seed", 1);
    private static final Duration STARVED = Duration.ofSeconds(5);

    /** An execution that may have lost its permit. */
    private record Running(HeldPermit permit, int weight) {
    }

    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong lastEnd = new AtomicLong(System.nanoTime());
    private volatile boolean over;

    @ParameterizedTest
    @EnumSource
    void processesShareThePermits(Storm storm) throws Exception {
        try (TestRedis redis = new TestRedis()) {
            List<TestProcess> processes = IntStream.range(0, 3).mapToObj(i -> new TestProcess(redis, TestStore.SCRIPT))
                    .toList();
            ExecutorService callers = Executors.newCachedThreadPool();
            CountDownLatch left = new CountDownLatch(3 * CALLERS);
            for (int i = 0; i < 3 * CALLERS; i++) {
                int caller = i;
                callers.execute(() -> {
                    callRepeatedly(storm, processes, caller, new Random(SEED * 100 + caller));
                    left.countDown();
                });
            }
            try {
                blow(storm, redis, new Random(SEED));
            } finally {
                over = true;
            }
            assertThat(left.await(90, TimeUnit.SECONDS)).as("all callers come back").isTrue();
            System.out.println(storm + ": " + ended + " executions, " + processes.stream().mapToInt(p -> p.losses.size()).sum()
                    + " losses");
            callers.shutdown();
            assertThat(failures).isEmpty();
            assertThat(ended.get()).isPositive();
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(() -> assertThat(StoredShares.granted(redis, "test:{storm}:shares")).isZero());
            HeldPermit last = processes.get(2).semaphore(storm.spec.toBuilder().weight(PERMITS).build()).admit("Test#last")
                    .granted().toCompletableFuture().get(60, TimeUnit.SECONDS).get(0);
            last.release().toCompletableFuture().get(30, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(
                    () -> assertThat(processes).as("Trap 41: no call is still counted")
                            .allMatch(each -> each.limits.isEmpty()));
            processes.forEach(TestProcess::close);
        }
    }

    private void blow(Storm storm, TestRedis redis, Random random) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        long server = redis.pid();
        while (System.nanoTime() - end < 0 && failures.isEmpty()) {
            if (storm == Storm.STOPPED_SERVER) {
                TestRedis.signal(server, "STOP");
                try {
                    watch(random.nextInt(2_600));
                } finally {
                    TestRedis.signal(server, "CONT");
                }
                lastEnd.set(System.nanoTime());
                watch(100 + random.nextInt(1_500));
            } else {
                watch(100);
                long silent = System.nanoTime() - lastEnd.get();
                if (silent > STARVED.toNanos()) {
                    failures.add(new AssertionError("no execution has ended for " + Duration.ofNanos(silent) + " in "
                            + redis.command("HGETALL", "test:{storm}:shares")));
                }
            }
        }
    }

    /** A permit that is held does not become held again, so what is held after the sweep was held at its end. */
    private void watch(int millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            List<Running> held = new ArrayList<>(running);
            held.removeIf(each -> !each.permit.isHeld());
            held.removeIf(each -> !each.permit.isHeld());
            int weight = held.stream().mapToInt(Running::weight).sum();
            if (weight > PERMITS) {
                failures.add(new AssertionError(weight + " permits are held: " + held));
            }
            TimeUnit.MILLISECONDS.sleep(1);
        } while (System.nanoTime() - end < 0);
    }

    private void callRepeatedly(Storm storm, List<TestProcess> processes, int caller, Random random) {
        TestProcess process = processes.get(caller % processes.size());
        while (!over && failures.isEmpty()) {
            int weight = storm == Storm.WEIGHTS && random.nextInt(3) == 0 ? PERMITS : 1;
            boolean waits = random.nextInt(4) > 0;
            SemaphoreSpec spec = storm.spec.toBuilder().weight(weight)
                    .maxWait(waits ? storm.spec.maxWait() : Duration.ZERO).build();
            Admission admission = process.semaphore(spec).admit("Test#call");
            CompletableFuture<List<HeldPermit>> granted = admission.granted().toCompletableFuture();
            try {
                boolean impatient = storm == Storm.CANCELLED_CALLS && random.nextInt(3) > 0;
                HeldPermit permit = impatient ? granted.get(random.nextInt(3_000), TimeUnit.MICROSECONDS).get(0)
                        : granted.get(80, TimeUnit.SECONDS).get(0);
                run(storm, processes, new Running(permit, weight), random);
            } catch (TimeoutException gaveUp) {
                if (storm != Storm.CANCELLED_CALLS) {
                    failures.add(gaveUp);
                }
            } catch (ExecutionException rejected) {
                // Full, or away.
                Thread.onSpinWait();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                admission.end();
            }
        }
    }

    private void run(Storm storm, List<TestProcess> processes, Running execution, Random random) throws InterruptedException {
        running.add(execution);
        TimeUnit.MICROSECONDS.sleep(random.nextInt(2_000));
        running.remove(execution);
        ended.incrementAndGet();
        lastEnd.set(System.nanoTime());
        if (storm == Storm.TRANSFERS && random.nextInt(4) == 0) {
            try {
                String token = execution.permit.detach().toCompletableFuture().get(30, TimeUnit.SECONDS);
                attach(storm, processes.get(random.nextInt(processes.size())), token);
            } catch (ExecutionException | TimeoutException e) {
                failures.add(e);
            }
        }
    }

    private void attach(Storm storm, TestProcess process, String token) {
        try {
            HeldPermit attached = process.semaphore(storm.spec).attach(token, "Test#attach").toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            Running execution = new Running(attached, 1);
            running.add(execution);
            TimeUnit.MICROSECONDS.sleep(200);
            running.remove(execution);
            attached.release().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            failures.add(e);
        }
    }
}
