package org.acme.model;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/** Calls of a model weigh as much as their tokens. */
@ApplicationScoped
public class TokenBudget {

    // tag::guarded[]
    private static final int CHARACTERS_PER_TOKEN = 4;
    private static final int LONGEST_ANSWER = 1_000;

    public Uni<String> ask(String prompt) {
        return ask(prompt, prompt.length() / CHARACTERS_PER_TOKEN + LONGEST_ANSWER);
    }

    @RedisBulkhead(name = "model-tokens", permits = 32_000, maxWait = "20s")
    Uni<String> ask(String prompt, @BulkheadWeight int tokens) {
        return answer(prompt);
    }
    // end::guarded[]

    private static Uni<String> answer(String prompt) {
        return Uni.createFrom().item(prompt);
    }
}
