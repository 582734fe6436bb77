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

/** What an operator may want to change while applications run. In an application of your own, let operators only come here. */
@Path("/operator")
public class OperatorResource {

    private final RedisBulkheads bulkheads;
    private final LossLog lossLog;

    OperatorResource(RedisBulkheads bulkheads, LossLog lossLog) {
        this.bulkheads = bulkheads;
        this.lossLog = lossLog;
    }

    /**
     * Sets the limit for all applications that share the bulkhead, at once.
     *
     * @param bulkhead its name
     * @param permits the new limit
     */
    @PUT
    @Path("/{bulkhead}/size")
    public void resize(String bulkhead, @RestQuery int permits) {
        if (permits < 1) {
            throw new BadRequestException("permits must be at least 1");
        }
        find(bulkhead).resize(permits);
    }

    /**
     * Lets all applications go by their own limit again.
     *
     * @param bulkhead its name
     */
    @DELETE
    @Path("/{bulkhead}/size")
    public void resetSize(String bulkhead) {
        find(bulkhead).resetSize();
    }

    /**
     * Takes a permit away from its holder. What it was taken for goes on, unless {@code on-lost=interrupt} is configured.
     *
     * @param bulkhead its name
     * @param permitId the permit, as {@code /status} tells it
     */
    @DELETE
    @Path("/{bulkhead}/permits/{permitId}")
    public void revoke(String bulkhead, String permitId) {
        if (!find(bulkhead).revoke(permitId)) {
            throw new NotFoundException();
        }
    }

    /**
     * The permits that the instance which is asked has lost.
     *
     * @return the oldest first
     */
    @GET
    @Path("/losses")
    public List<PermitLost> losses() {
        return lossLog.losses();
    }

    private RedisSemaphore find(String bulkhead) {
        if (!bulkheads.names().contains(bulkhead)) {
            throw new NotFoundException();
        }
        return bulkheads.semaphore(bulkhead);
    }
}
