package io.quarkiverse.redisbulkhead.sample.status;

import java.time.Instant;
import java.util.List;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestQuery;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.Waiter;

/** Returns the use of the bulkheads over all instances, with their holders and waiters. */
@Path("/status")
public class StatusResource {

    /** All bulkheads without keys, and the clock of this instance; the bulkheads use the clock of Redis. */
    public record Status(Instant now, List<Use> bulkheads) {
    }

    /** The use of one bulkhead. Its limits differ while instances with different configuration run. */
    public record Use(String name, int limit, int inUse, int waiting, boolean limitsDiffer, List<Holder> holders,
            List<Waiter> waiters) {
    }

    private final RedisBulkheads bulkheads;

    StatusResource(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    /** Asks Redis for the current use. */
    @GET
    public Status status() {
        return new Status(Instant.now(),
                bulkheads.names().stream().map(bulkheads::semaphore).filter(bulkhead -> !bulkhead.needsKey())
                        .map(StatusResource::use).toList());
    }

    /** Asks Redis about one key of a bulkhead that has one limit for each. */
    @GET
    @Path("/{bulkhead}")
    public Use statusOf(String bulkhead, @RestQuery String key) {
        if (key == null || !bulkheads.names().contains(bulkhead) || !bulkheads.semaphore(bulkhead).needsKey()) {
            throw new NotFoundException();
        }
        return use(bulkheads.semaphore(bulkhead).forKey(key));
    }

    private static Use use(RedisSemaphore bulkhead) {
        SemaphoreStatus status = bulkhead.status();
        return new Use(status.name(), status.limit(), status.inUse(), status.waiting(), status.limitsDiffer(),
                bulkhead.holders(), bulkhead.waiters());
    }
}
