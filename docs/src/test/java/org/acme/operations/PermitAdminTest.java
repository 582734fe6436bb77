package org.acme.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;
import jakarta.ws.rs.NotFoundException;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.junit.QuarkusTest;

/** Operators free a permit through a resource of the application. */
@QuarkusTest
@ActivateRequestContext
class PermitAdminTest {

    @Inject
    CurrentIdentityAssociation identity;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    PermitAdmin admin;

    @Test
    void anOperatorFreesAPermit() {
        assertThatThrownBy(admin::holders).isInstanceOf(UnauthorizedException.class);
        identity.setIdentity(QuarkusSecurityIdentity.builder().setPrincipal(() -> "olga").addRole("operator").build());
        try (Permit permit = bulkheads.semaphore("reports").tryAcquire().orElseThrow()) {
            assertThat(admin.holders()).singleElement().asString().contains(permit.id());
            admin.revoke(permit.id());
            assertThat(permit.isHeld()).isFalse();
            assertThat(admin.holders()).isEmpty();
            assertThatThrownBy(() -> admin.revoke(permit.id())).isInstanceOf(NotFoundException.class);
        }
    }
}
