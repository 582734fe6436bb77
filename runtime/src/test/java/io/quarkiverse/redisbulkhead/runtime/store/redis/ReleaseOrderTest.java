package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/**
 * An execution ends without awaiting its release. Within the process, the next acquire is still executed behind the release
 * and finds the permit free: with one permit and one attempt, no call is rejected.
 */
@ParameterizedClass
@EnumSource(TestStore.class)
class ReleaseOrderTest {

    static final SemaphoreSpec ONE = SemaphoreSpec.named("reports").permits(1).expire(Duration.ofMinutes(10)).build();
    static final int LONGEST_SECONDS = 60;
    static final int THREADS = 4;
    static final int ROUNDS = 100;

    @Parameter
    TestStore kind;

    TestRedis redis;
    TestProcess process;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        process = new TestProcess(redis, kind);
    }

    @AfterEach
    void stop() {
        process.close();
        redis.close();
    }

    /** The permits that Redis counts; read, so also while it refuses writes. */
    private int granted() {
        return StoredShares.granted(redis, "test:{reports}:shares");
    }

    private List<HeldPermit> granted(Admission admission) throws Exception {
        return admission.granted().toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    private void endWithoutWaiting(Admission admission) {
        assertThat(admission.end().toCompletableFuture()).isCompleted();
    }

    @Test
    void callOfAnotherThreadFindsThePermitFree() throws Exception {
        passFromThreadToThread();
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> granted() == 0);
        assertThat(process.losses).isEmpty();
    }

    private void passFromThreadToThread() throws Exception {
        List<Semaphore> turns = new ArrayList<>();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            turns.add(new Semaphore(i == 0 ? 1 : 0));
        }
        CyclicBarrier begin = new CyclicBarrier(THREADS);
        for (int i = 0; i < THREADS; i++) {
            Semaphore mine = turns.get(i);
            Semaphore next = turns.get((i + 1) % THREADS);
            CompletableFuture<Void> thread = new CompletableFuture<>();
            threads.add(thread);
            new Thread(() -> {
                try {
                    begin.await();
                    for (int round = 0; round < ROUNDS; round++) {
                        assertThat(mine.tryAcquire(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
                        Admission admission = process.semaphore(ONE).admit("A#a");
                        granted(admission);
                        endWithoutWaiting(admission);
                        next.release();
                    }
                    thread.complete(null);
                } catch (Throwable e) {
                    thread.completeExceptionally(e);
                }
            }, "caller " + i).start();
        }
        CompletableFuture.anyOf(CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)), firstFailure(threads))
                .get(2 * LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    private static CompletableFuture<Object> firstFailure(List<CompletableFuture<Void>> threads) {
        CompletableFuture<Object> failed = new CompletableFuture<>();
        threads.forEach(thread -> thread.exceptionally(failure -> {
            failed.completeExceptionally(failure);
            return null;
        }));
        return failed;
    }

    /** The connection breaks before the release reaches Redis. The release is sent before later acquires. */
    @Test
    void releasesInFlightAreSentFirstAfterAReconnect() throws Exception {
        Admission first = process.semaphore(ONE).admit("A#a");
        granted(first);
        redis.command("CLIENT", "PAUSE", 60_000, "WRITE");
        endWithoutWaiting(first);
        Admission before = process.semaphore(ONE).admit("A#before");
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        assertThat(before.granted().toCompletableFuture()).isNotDone();
        redis.command("CLIENT", "UNPAUSE");

        granted(before);
        endWithoutWaiting(before);
        Admission after = process.semaphore(ONE).admit("A#after");
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        granted(after);
        endWithoutWaiting(after);
        assertThat(process.losses).isEmpty();
    }

    @Test
    void endDoesNotAwaitTheReleaseButShutdownDoes() throws Exception {
        Admission first = process.semaphore(ONE).admit("A#a");
        HeldPermit permit = granted(first).get(0);
        redis.command("CLIENT", "PAUSE", 60_000, "WRITE");
        CompletableFuture<Boolean> reply = permit.release().toCompletableFuture();
        endWithoutWaiting(first);
        assertThat(reply).isNotDone();
        assertThat(granted()).isEqualTo(1);
        CompletableFuture<Void> shutdown = process.engine.releaseAll().toCompletableFuture();
        assertThat(shutdown).as("shutdown awaits releases in flight").isNotDone();
        redis.command("CLIENT", "UNPAUSE");

        assertThat(reply.get(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        shutdown.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        assertThat(granted()).isZero();
    }
}
