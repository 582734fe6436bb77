package io.quarkiverse.redisbulkhead.sample.search;

import java.util.Set;

import jakarta.enterprise.context.RequestScoped;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.core.HttpHeaders;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.ResolvedKey;

// tag::resolver[]
/**
 * Tells whose limit a request counts for. In an application of your own, take the tenant from the security identity: anybody
 * can write a header.
 */
@RequestScoped
public class TenantKey implements BulkheadKeyResolver {

    private static final int PERMITS_OF_PAYING = 4;

    private final HttpHeaders headers;
    private final Set<String> paying;

    TenantKey(HttpHeaders headers, @ConfigProperty(name = "sample.search.paying-tenants") Set<String> paying) {
        this.headers = headers;
        this.paying = paying;
    }

    @Override
    public ResolvedKey resolve(BulkheadCall call) {
        String tenant = headers.getHeaderString("X-Tenant");
        if (tenant == null) {
            throw new BadRequestException("The header X-Tenant is missing");
        }
        ResolvedKey key = ResolvedKey.of(tenant);
        return paying.contains(tenant) ? key.withPermits(PERMITS_OF_PAYING) : key;
    }
}
// end::resolver[]
