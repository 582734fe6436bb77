package org.acme.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** A call takes as much of the limit as it has tokens. */
@QuarkusTest
class TokenBudgetTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    TokenBudget budget;

    @Test
    void aLongPromptWaitsForItsTokens() {
        RedisSemaphore semaphore = bulkheads.semaphore("model-tokens");
        try (TestBulkhead tokens = TestBulkhead.of(semaphore)) {
            CompletableFuture<String> large;
            try (Permit others = semaphore.acquire(30_000, SOON)) {
                assertThat(others.isHeld()).isTrue();
                assertThat(budget.ask("Why?").await().atMost(SOON)).isEqualTo("Why?");
                large = budget.ask("x".repeat(40_000)).subscribeAsCompletionStage();
                tokens.awaitWaiters(1);
            }
            assertThat(large.join()).hasSize(40_000);
        }
    }
}
