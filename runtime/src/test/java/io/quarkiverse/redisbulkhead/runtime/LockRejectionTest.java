package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;

class LockRejectionTest {

    final Engine engine = engine(Integer.MAX_VALUE);
    final Semaphore semaphore = lock(engine, SemaphoreSpec.named("lock").permits(1).build());

    private static Engine engine(int maxBlockedThreads) {
        return new Engine("one", new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
        }, new WaiterLimits(maxBlockedThreads));
    }

    private static Semaphore lock(Engine engine, SemaphoreSpec spec) {
        return new Semaphore(engine, spec, true).whenFull(full -> LockView.rejection("daily", full));
    }

    @BeforeEach
    void allowBlocking() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void freeLockIsHeldNowAndTheNextCallIsRejected() {
        Admission first = semaphore.admit("A#a");
        Admission second = semaphore.admit("A#b");

        assertThat(first.heldNow()).hasSize(1).isEqualTo(first.granted().toCompletableFuture().join());
        assertThat(second.heldNow()).isEmpty();
        assertThatThrownBy(() -> BlockingWait.untilHeld("lock", second)).isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("daily");
    }

    @Test
    void interruptionMessageNamesTheBulkheadOrLock() {
        assertInterrupted(() -> BlockingWait.await("lock:daily", new CompletableFuture<>()),
                "The thread was interrupted while it waited for lock 'daily'");
        assertInterrupted(() -> BlockingWait.await("reports", new CompletableFuture<>()),
                "The thread was interrupted while it waited for a permit of bulkhead 'reports'");
        assertInterrupted(() -> reply("RedisLock", "owner", "lock:daily"),
                "The thread was interrupted while RedisLock.owner() waited for a reply about lock 'daily'");
        assertInterrupted(() -> reply("RedisSemaphore", "status", "reports"),
                "The thread was interrupted while RedisSemaphore.status() waited for a reply about bulkhead 'reports'");
    }

    private static void reply(String type, String method, String bulkhead) {
        BlockingWait.reply(type, method, bulkhead, CompletableFuture::new, reply -> {
        });
    }

    private static void assertInterrupted(ThrowingCallable wait, String message) {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(wait).isInstanceOf(BulkheadInterruptedException.class).hasMessage(message);
        } finally {
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        }
    }

    /** Trap 41: callers waiting for locks block threads, too. */
    @Test
    void lockRejectionNamesTheBound() {
        SemaphoreSpec patient = SemaphoreSpec.named("patient").permits(1).maxWait(Duration.ofSeconds(20)).build();
        Engine bounded = engine(0);
        Admission first = lock(bounded, patient).admit("A#a", WaitsOn.WORKER_THREAD);
        Admission second = lock(bounded, patient).admit("A#b", WaitsOn.WORKER_THREAD);

        assertThat(first.heldNow()).hasSize(1);
        assertThatThrownBy(() -> BlockingWait.untilHeld("lock", second)).isInstanceOf(LockNotAcquiredException.class)
                .hasMessageStartingWith("Lock 'daily' is not free, and the call cannot wait: 0 calls of this instance")
                .hasMessageContaining("quarkus.redis-bulkhead.max-blocked-threads");
        bounded.close();
    }
}
