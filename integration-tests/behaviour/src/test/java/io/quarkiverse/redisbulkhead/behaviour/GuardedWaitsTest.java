package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.junit.QuarkusTest;

/** Methods that share a bulkhead may wait for different times. */
@QuarkusTest
class GuardedWaitsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void eachMethodWaitsAsItsAnnotationStates() throws Exception {
        RedisSemaphore waits = bulkheads.semaphore("guarded-waits");
        assertThat(waits.spec().permits()).as("stated by one of three annotations").isEqualTo(1);
        assertThat(waits.spec().maxWait()).as("of those that state none").isZero();
        try (Permit taken = waits.acquire(LONG)) {
            Caller<String> batch = Caller.of(guarded::batch);
            await().atMost(LONG).until(() -> waits.waiters().size() == 1);

            assertThatThrownBy(guarded::interactive).isInstanceOf(BulkheadFullException.class);
            assertThatThrownBy(guarded::immediate).isInstanceOf(BulkheadFullException.class);
            assertThat(batch.isDone()).isFalse();

            taken.release();
            assertThat(batch.result()).isEqualTo("done");
        }
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "guarded-waits", maxWait = "50ms")
        String interactive() {
            return "done";
        }

        @RedisBulkhead(name = "guarded-waits", maxWait = "30s")
        String batch() {
            return "done";
        }

        @RedisBulkhead(name = "guarded-waits", permits = 1)
        String immediate() {
            return "done";
        }
    }
}
