package org.acme.model;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** Bounds the tokens that a model works on at the same time. */
@ApplicationScoped
public class TokenBudget {

    // tag::budget[]
    static final int UNIT = 1_000;
    static final SemaphoreSpec TOKENS = SemaphoreSpec.named("model-tokens").permits(200).fair(true).build();

    private final RedisSemaphore tokens;
    private final Model model;

    TokenBudget(RedisBulkheads bulkheads, Model model) {
        this.tokens = bulkheads.semaphore(TOKENS);
        this.model = model;
    }

    public String answer(String prompt, int mostTokens) {
        int estimate = prompt.length() / 4 + mostTokens;
        int weight = Math.min(Math.max(1, estimate / UNIT), TOKENS.permits());
        try (Permit permit = tokens.acquire(weight, Duration.ofSeconds(10))) {
            return model.answer(prompt, mostTokens);
        }
    }
    // end::budget[]
}
