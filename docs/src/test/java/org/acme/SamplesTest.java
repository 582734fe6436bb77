package org.acme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import org.acme.accounts.AccountStore;
import org.acme.accounts.Accounts;
import org.acme.model.TokenBudget;
import org.acme.operations.NightShift;
import org.acme.orders.RegionalOrders;
import org.acme.orders.Settlements;
import org.acme.partner.Partner;
import org.acme.partner.Quotes;
import org.acme.search.Search;
import org.acme.warehouse.Import;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** The samples of the documentation do what the pages say of them. */
@QuarkusTest
class SamplesTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Quotes quotes;

    @Inject
    Partner partner;

    @Inject
    Search search;

    @Inject
    RegionalOrders orders;

    @Inject
    Settlements settlements;

    @Inject
    Accounts accounts;

    @Inject
    AccountStore accountStore;

    @Inject
    NightShift nightShift;

    @Inject
    TokenBudget tokenBudget;

    @Inject
    Import imports;

    /** Docs: the weight of a call. */
    @Test
    void callsHaveTheirOwnWeight() {
        assertThat(imports.store(List.of("one", "two"))).isEqualTo(2);
        assertThat(tokenBudget.ask("short").await().atMost(SOON)).isEqualTo("short");
        assertThatThrownBy(() -> tokenBudget.ask("x".repeat(200_000)).await().atMost(SOON))
                .isInstanceOf(BulkheadFullException.class).hasMessageContaining("has a limit of 32000, below the weight 51000");
    }

    @Test
    void aFailureIsRetriedAndARejectionIsAnsweredByTheFallback() {
        partner.fail(2);
        assertThat(quotes.price("teapot")).isEqualByComparingTo("9.90");

        try (TestBulkhead api = TestBulkhead.of(bulkheads.semaphore("prices"))) {
            api.fill();
            assertThat(quotes.price("teapot")).isEqualByComparingTo("12.50");
        }
    }

    @Test
    void aTenantBeyondItsLimitTakesNothingFromTheOthers() {
        RedisSemaphore ofAcme = bulkheads.semaphore("search-of-tenant").forKey("acme");
        try (TestBulkhead acme = TestBulkhead.of(ofAcme)) {
            assertThat(acme.fill()).isEqualTo(5);
            assertThatThrownBy(() -> search.search("acme", "teapot")).isInstanceOf(BulkheadFullException.class);
            assertThat(bulkheads.semaphore("search").status().inUse()).isZero();
            assertThat(search.search("other", "teapot")).containsExactly("teapot of other");
        }
    }

    @Test
    void aSearchGetsBothPermitsWithinOneDeadline() {
        assertThat(search.searchWithin(SOON, "acme", "teapot")).containsExactly("teapot of acme");
        try (TestBulkhead all = TestBulkhead.of(bulkheads.semaphore("search"))) {
            all.fill();
            assertThatThrownBy(() -> search.searchWithin(Duration.ofMillis(1), "acme", "teapot"))
                    .isInstanceOf(BulkheadFullException.class);
        }
        assertThat(bulkheads.semaphore("search-of-tenant").forKey("acme").status().inUse()).isZero();
    }

    @Test
    void theNameAndTheLeaseComeFromTheConfiguration() {
        assertThat(orders.order("teapot")).isEqualTo("ordered teapot");
        assertThat(bulkheads.semaphore("eu-orders").spec().expire()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void anOrderIsSettledUnderItsLock() {
        settlements.settle("7");
        settlements.settleLater("7").await().atMost(SOON);
        assertThat(settlements.bookings("7")).isEqualTo(2);
        assertThat(bulkheads.lock("order-7").owner()).isEmpty();
    }

    @Test
    void theArchiveHasOneOwnerAndGrowingTokens() {
        assertThat(settlements.archive()).isTrue();
        try (Permit other = bulkheads.lock("archive").lock()) {
            assertThat(settlements.archive()).isFalse();
        }
        assertThat(settlements.archive()).isTrue();
    }

    @Test
    void aChargeBringsTheTokenOfItsPermit() {
        assertThat(accounts.charge(BigDecimal.TEN).await().atMost(SOON)).isTrue();
        long token = accountStore.token();
        assertThat(token).isPositive();
        assertThat(accounts.charge(BigDecimal.ONE).await().atMost(SOON)).isTrue();
        assertThat(accountStore.token()).isGreaterThan(token);
        assertThat(accountStore.update(BigDecimal.ONE, token).await().atMost(SOON)).isFalse();
        assertThat(accountStore.balance()).isEqualByComparingTo("11");
    }

    @Test
    void theNightHasMorePermits() {
        nightShift.begin();
        assertThat(bulkheads.semaphore("reports").status().limit()).isEqualTo(20);
        nightShift.end();
        assertThat(bulkheads.semaphore("reports").status().limit()).isEqualTo(5);
    }
}
