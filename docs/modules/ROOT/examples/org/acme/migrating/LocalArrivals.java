package org.acme.migrating;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Bulkhead;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Timeout;

/** Before: calls wait in a queue of their instance. */
@ApplicationScoped
public class LocalArrivals {

    private final Carrier carrier;

    LocalArrivals(Carrier carrier) {
        this.carrier = carrier;
    }

    // tag::guarded[]
    @Asynchronous
    @Timeout(3000)
    @Fallback(fallbackMethod = "unknown")
    @Bulkhead(value = 10, waitingTaskQueue = 20)
    public CompletionStage<String> arrival(String parcel) {
        return CompletableFuture.completedStage(carrier.arrival(parcel));
    }
    // end::guarded[]

    CompletionStage<String> unknown(String parcel) {
        return CompletableFuture.completedStage("unknown");
    }
}
