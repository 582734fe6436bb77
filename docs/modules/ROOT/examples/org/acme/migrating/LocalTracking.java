package org.acme.migrating;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.faulttolerance.Bulkhead;

/** Before: each instance limits its own calls. */
@ApplicationScoped
public class LocalTracking {

    private final Carrier carrier;

    LocalTracking(Carrier carrier) {
        this.carrier = carrier;
    }

    // tag::guarded[]
    @Bulkhead(10)
    public String track(String parcel) {
        return carrier.position(parcel);
    }
    // end::guarded[]
}
