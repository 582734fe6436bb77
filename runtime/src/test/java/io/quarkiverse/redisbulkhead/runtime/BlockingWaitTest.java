package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;

class BlockingWaitTest {

    @BeforeEach
    void allowBlocking() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
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
}
