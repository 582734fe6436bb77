package org.acme.tenants;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.smallrye.mutiny.Uni;

/** Adds the tenant to the identity of a user who has signed in. */
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
        return context.runBlocking(() -> users.tenantOf(identity.getPrincipal().getName())
                .<SecurityIdentity> map(tenant -> QuarkusSecurityIdentity.builder(identity).addAttribute("tenant", tenant).build())
                .orElse(identity));
    }
}
// end::augmentor[]
