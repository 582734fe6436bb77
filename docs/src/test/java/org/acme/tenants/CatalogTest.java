package org.acme.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.Principal;
import java.util.Map;

import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** The tenant comes from the user, and its limit from a table. */
@QuarkusTest
@ActivateRequestContext
class CatalogTest {

    @Inject
    CurrentIdentityAssociation identity;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Catalog catalog;

    @Inject
    LimitRows rows;

    @Inject
    TenantLimits limits;

    @Inject
    TenantOfLogin augmentor;

    @AfterEach
    void repair() {
        rows.breakDown(false);
        rows.set(Map.of("acme", 4));
        limits.refresh();
    }

    @Test
    void theLimitComesFromTheTable() {
        signIn("acme");
        try (TestBulkhead ofAcme = of("acme", 4)) {
            ofAcme.fill(3);
            assertThat(catalog.find("teapot")).containsExactly("teapot");
            ofAcme.fill();
            assertThatThrownBy(() -> catalog.find("teapot")).isInstanceOf(BulkheadFullException.class);
        }
    }

    @Test
    void otherTenantsHaveTheDefault() {
        signIn("small");
        try (TestBulkhead ofSmall = of("small", 2)) {
            assertThat(ofSmall.fill()).isEqualTo(2);
            assertThatThrownBy(() -> catalog.find("teapot")).isInstanceOf(BulkheadFullException.class);
        }
    }

    @Test
    void theLastLimitsRemainWhenTheTableCannotBeRead() {
        rows.set(Map.of("acme", 6));
        limits.refresh();
        rows.breakDown(true);
        limits.refresh();
        assertThat(limits.permitsOf("acme")).isEqualTo(6);
    }

    @Test
    void aUserWithoutATenantIsRefused() {
        signIn(null);
        assertThatThrownBy(() -> catalog.find("teapot")).isInstanceOf(ForbiddenException.class);
    }

    @Test
    void theTenantIsAnAttributeOfTheUser() {
        assertThat(augmented("olga").<String> getAttribute("tenant")).isEqualTo("acme");
        assertThat(augmented("stranger").<String> getAttribute("tenant")).isNull();
    }

    private SecurityIdentity augmented(String user) {
        SecurityIdentity signedIn = QuarkusSecurityIdentity.builder().setPrincipal(() -> user).build();
        return augmentor.augment(signedIn, work -> Uni.createFrom().item(work)).await().indefinitely();
    }

    private TestBulkhead of(String tenant, int permits) {
        return TestBulkhead.of(bulkheads.semaphore("catalog-of-tenant").forKey(tenant, permits));
    }

    private void signIn(String tenant) {
        Principal olga = () -> "olga";
        QuarkusSecurityIdentity.Builder user = QuarkusSecurityIdentity.builder().setPrincipal(olga);
        SecurityIdentity signedIn = (tenant == null ? user : user.addAttribute("tenant", tenant)).build();
        identity.setIdentity(signedIn);
    }
}
