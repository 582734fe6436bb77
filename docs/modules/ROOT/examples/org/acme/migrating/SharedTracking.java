package org.acme.migrating;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** After: all instances share the limit. */
@ApplicationScoped
public class SharedTracking {

    private final Carrier carrier;

    SharedTracking(Carrier carrier) {
        this.carrier = carrier;
    }

    // tag::guarded[]
    @RedisBulkhead(name = "carrier-api", permits = 30)
    public String track(String parcel) {
        return carrier.position(parcel);
    }
    // end::guarded[]
}
