package org.acme.migrating;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** After: the semaphore is an annotation. */
@ApplicationScoped
public class Conversions {

    // tag::guarded[]
    @RedisBulkhead(name = "conversions", permits = 4, maxWait = "5s")
    public String convert(String video) {
        return encode(video);
    }
    // end::guarded[]

    private static String encode(String video) {
        return video + ".webm";
    }
}
