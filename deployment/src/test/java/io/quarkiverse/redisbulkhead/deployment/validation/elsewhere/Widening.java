package io.quarkiverse.redisbulkhead.deployment.validation.elsewhere;

import jakarta.enterprise.context.ApplicationScoped;

/** Lets classes of other packages override a method that they cannot see. */
@ApplicationScoped
public class Widening extends PackagePrivateBase {

    @Override
    public void pack() {
    }
}
