package io.quarkiverse.redisbulkhead.sample.ledger;

import java.sql.SQLException;
import java.util.Map;

import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Charges the account, and shows it. */
@Path("/ledger")
public class LedgerResource {

    private final Ledger ledger;

    LedgerResource(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Buys an article. */
    @POST
    public Charge charge(@RestQuery @DefaultValue("teapot") String article) throws SQLException {
        return ledger.charge(article);
    }

    /** Shows the account. */
    @GET
    public Account account() throws SQLException {
        return ledger.account();
    }

    @ServerExceptionMapper
    Response conflict(StaleWriterException e) {
        return Response.status(Response.Status.CONFLICT).entity(Map.of("token", e.token(), "permitHeld", e.permitHeld()))
                .build();
    }
}
