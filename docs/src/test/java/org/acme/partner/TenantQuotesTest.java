package org.acme.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** A call with the permits of several bulkheads, as the page on a partner's API shows. */
@QuarkusTest
class TenantQuotesTest {

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    TenantQuotes quotes;

    @Inject
    Partner partner;

    @Test
    void runningCallDoesNotCountAsWaiting() {
        List<Integer> inUse = new ArrayList<>();
        partner.onCall(() -> inUse.addAll(inUse("acme")));
        try {
            assertThat(quotes.price("acme", "teapot")).isEqualByComparingTo("9.90");
        } finally {
            partner.onCall(() -> {
            });
        }
        assertThat(inUse).as("waiting, of the tenant, total").containsExactly(0, 1, 1);
        assertThat(inUse("acme")).containsExactly(0, 0, 0);
    }

    @Test
    void aPremiumTenantHasMorePermits() {
        try (TestBulkhead ofTenant = TestBulkhead.of(bulkheads.semaphore(TenantQuotes.OF_TENANT).forKey("premium 1", 6))) {
            ofTenant.fill(5);
            assertThat(quotes.price("premium 1", "teapot")).isEqualByComparingTo("9.90");
        }
    }

    @Test
    void tooManyWaitingCallsAreRejected() {
        try (TestBulkhead waiting = TestBulkhead.of(waiting("acme"))) {
            assertThat(waiting.fill()).isEqualTo(20);
            assertThatThrownBy(() -> quotes.price("acme", "teapot")).isInstanceOf(BulkheadFullException.class)
                    .hasMessageContaining("'partner-waiting'");
        }
    }

    @Test
    void aCallWithoutAPermitInTimeTakesNothing() {
        try (TestBulkhead total = TestBulkhead.of(bulkheads.semaphore(TenantQuotes.TOTAL))) {
            assertThat(total.fill()).isEqualTo(10);
            assertThatThrownBy(() -> quotes.price("acme", "teapot")).isInstanceOf(BulkheadFullException.class)
                    .hasMessageContaining("'partner'");
            assertThat(inUse("acme")).containsExactly(0, 0, 10);
        }
    }

    private RedisSemaphore waiting(String tenant) {
        return bulkheads.semaphore(TenantQuotes.WAITING).forKey(tenant);
    }

    private List<Integer> inUse(String tenant) {
        return List.of(waiting(tenant), bulkheads.semaphore(TenantQuotes.OF_TENANT).forKey(tenant),
                bulkheads.semaphore(TenantQuotes.TOTAL)).stream().map(semaphore -> semaphore.status().inUse()).toList();
    }
}
