package io.quarkiverse.redisbulkhead.sample.operator;

import java.util.List;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestQuery;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;

/** The changes that an operator may make while applications run. In your own application, restrict this to operators. */
@Path("/operator")
public class OperatorResource {

    private final RedisBulkheads bulkheads;
    private final LossLog lossLog;

    OperatorResource(RedisBulkheads bulkheads, LossLog lossLog) {
        this.bulkheads = bulkheads;
        this.lossLog = lossLog;
    }

    /** Sets the limit for all applications that share the bulkhead immediately. */
    @PUT
    @Path("/{bulkhead}/size")
    public void resize(String bulkhead, @RestQuery String key, @RestQuery int permits) {
        if (permits < 1) {
            throw new BadRequestException("permits must be at least 1");
        }
        find(bulkhead, key).resize(permits);
    }

    /** Lets all applications go by their own limit again. */
    @DELETE
    @Path("/{bulkhead}/size")
    public void resetSize(String bulkhead, @RestQuery String key) {
        find(bulkhead, key).resetSize();
    }

    /** Revokes a permit. Its execution continues, unless {@code on-lost=interrupt} is configured. */
    @DELETE
    @Path("/{bulkhead}/permits/{permitId}")
    public void revoke(String bulkhead, @RestQuery String key, String permitId) {
        if (!find(bulkhead, key).revoke(permitId)) {
            throw new NotFoundException();
        }
    }

    /** The permits that this instance has lost, the oldest first. */
    @GET
    @Path("/losses")
    public List<PermitLost> losses() {
        return lossLog.losses();
    }

    private RedisSemaphore find(String name, String key) {
        if (!bulkheads.names().contains(name)) {
            throw new NotFoundException();
        }
        RedisSemaphore bulkhead = bulkheads.semaphore(name);
        if (bulkhead.needsKey() != (key != null)) {
            throw new BadRequestException(bulkhead.needsKey() ? "key must be set" : "the bulkhead has no keys");
        }
        return key == null ? bulkhead : bulkhead.forKey(key);
    }
}
