package org.acme.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** A call takes as much of the limit as it has tokens. */
@QuarkusTest
class TokenBudgetTest {

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    TokenBudget budget;

    @Test
    void aLongPromptWaitsForItsTokens() {
        try (TestBulkhead tokens = TestBulkhead.of(bulkheads.semaphore(TokenBudget.TOKENS))) {
            tokens.fill(195);
            assertThat(budget.answer("Why?", 4_000)).isEqualTo("an answer to Why?");

            CompletableFuture<String> large = CompletableFuture.supplyAsync(() -> budget.answer("x".repeat(40_000), 2_000));
            tokens.awaitWaiters(1);
            tokens.free();
            assertThat(large.join()).startsWith("an answer");
        }
    }

    @Test
    void aPromptBeyondTheLimitTakesAllOfIt() {
        assertThat(budget.answer("Why?", 1_000_000)).isEqualTo("an answer to Why?");
    }
}
