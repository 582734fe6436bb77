package io.quarkiverse.redisbulkhead.deployment.validation.elsewhere;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** A bean with a method that classes of other packages do not override. */
@ApplicationScoped
public class PackagePrivateBase {

    @RedisBulkhead(name = "pack", permits = 1)
    void pack() {
    }
}
