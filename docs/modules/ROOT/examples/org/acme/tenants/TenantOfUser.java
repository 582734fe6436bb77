package org.acme.tenants;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.identity.SecurityIdentity;

// tag::resolver[]
@ApplicationScoped
public class TenantOfUser implements BulkheadKeyResolver {

    private final SecurityIdentity identity;
    private final TenantLimits limits;

    TenantOfUser(SecurityIdentity identity, TenantLimits limits) {
        this.identity = identity;
        this.limits = limits;
    }

    @Override
    public ResolvedKey resolve(BulkheadCall call) {
        String tenant = identity.getAttribute("tenant");
        if (tenant == null) {
            throw new ForbiddenException("The user belongs to no tenant");
        }
        return ResolvedKey.of(tenant).withPermits(limits.permitsOf(tenant));
    }
}
// end::resolver[]
