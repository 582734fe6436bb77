package org.acme.tenants;

import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.smallrye.mutiny.Uni;

/** Adds the tenant to the identity of each signed-in user. */
// tag::augmentor[]
@ApplicationScoped
public class TenantOfLogin implements SecurityIdentityAugmentor {

    private final Users users;

    TenantOfLogin(Users users) {
        this.users = users;
    }

    @Override
    public Uni<SecurityIdentity> augment(SecurityIdentity identity, AuthenticationRequestContext context) {
        if (identity.isAnonymous()) {
            return Uni.createFrom().item(identity);
        }
        return context.runBlocking(() -> withTenant(identity));
    }

    private SecurityIdentity withTenant(SecurityIdentity identity) {
        Optional<String> tenant = users.tenantOf(identity.getPrincipal().getName());
        return tenant.isEmpty() ? identity
                : QuarkusSecurityIdentity.builder(identity).addAttribute("tenant", tenant.get()).build();
    }
}
// end::augmentor[]
