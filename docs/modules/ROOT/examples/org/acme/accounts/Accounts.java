package org.acme.accounts;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/** An asynchronous write with the fencing token of its permit. */
@ApplicationScoped
public class Accounts {

    private final CurrentPermit currentPermit;
    private final AccountStore store;

    Accounts(CurrentPermit currentPermit, AccountStore store) {
        this.currentPermit = currentPermit;
        this.store = store;
    }

    // tag::guarded[]
    @RedisBulkhead(name = "accounts", permits = 1, maxWait = "2s")
    public Uni<Boolean> charge(BigDecimal price) {
        long token = currentPermit.get().fencingToken();
        return store.update(price, token);
    }
    // end::guarded[]
}
