package io.quarkiverse.redisbulkhead.deployment.validation.elsewhere;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** Has a method that no class of another package can override. */
public class ClosedParameterBase {

    @RedisBulkhead(name = "closed", permits = 1)
    public void guarded(Closed closed) {
    }

    static class Closed {
    }
}
