package io.quarkiverse.redisbulkhead.deployment.discovery;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** In another module, and no class of the application extends it. Not nested, because a test application has nested classes. */
public abstract class ForOtherApplications {
    @RedisBulkhead(name = "shared", permits = 1)
    void guarded() {
    }

    void keyed(@BulkheadKey String key) {
    }
}
