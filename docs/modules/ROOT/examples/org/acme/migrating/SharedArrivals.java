package org.acme.migrating;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Timeout;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** After: calls of all instances wait in one queue. */
@ApplicationScoped
public class SharedArrivals {

    private final Carrier carrier;

    SharedArrivals(Carrier carrier) {
        this.carrier = carrier;
    }

    // tag::guarded[]
    @Asynchronous
    @Timeout(3000)
    @Fallback(fallbackMethod = "unknown")
    @RedisBulkhead(name = "carrier-arrivals", permits = 30, fair = true, maxWait = "2s")
    public CompletionStage<String> arrival(String parcel) {
        return CompletableFuture.completedStage(carrier.arrival(parcel));
    }
    // end::guarded[]

    CompletionStage<String> unknown(String parcel) {
        return CompletableFuture.completedStage("unknown");
    }
}
