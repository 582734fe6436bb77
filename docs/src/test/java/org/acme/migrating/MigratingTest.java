package org.acme.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

/** The code after a migration does what the code before it did, and the pitfalls are real. */
@QuarkusTest
class MigratingTest {

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    RedisDataSource redis;

    @Inject
    LocalTracking localTracking;

    @Inject
    SharedTracking sharedTracking;

    @Inject
    LocalArrivals localArrivals;

    @Inject
    SharedArrivals sharedArrivals;

    @Inject
    Conversions conversions;

    @Inject
    Invoices invoices;

    @Inject
    CountedImports countedImports;

    @Inject
    Imports imports;

    @Test
    void aSharedLimitTakesThePlaceOfALocalOne() {
        assertThat(sharedTracking.track("p1")).isEqualTo(localTracking.track("p1"));
        try (TestBulkhead carrier = TestBulkhead.of(bulkheads.semaphore("carrier-api"))) {
            assertThat(carrier.fill()).isEqualTo(30);
            assertThatThrownBy(() -> sharedTracking.track("p1")).isInstanceOf(BulkheadFullException.class);
            assertThat(localTracking.track("p1")).isEqualTo("p1 is on its way");
        }
    }

    @Test
    void callsOfAllInstancesWaitInOneQueueAndOtherwiseFallBack() {
        assertThat(sharedArrivals.arrival("p1").toCompletableFuture().join()).isEqualTo("p1 arrives tomorrow")
                .isEqualTo(localArrivals.arrival("p1").toCompletableFuture().join());
        try (TestBulkhead arrivals = TestBulkhead.of(bulkheads.semaphore("carrier-arrivals"))) {
            assertThat(arrivals.fill()).isEqualTo(30);
            List<CompletableFuture<String>> calls = IntStream.range(0, 21)
                    .mapToObj(i -> sharedArrivals.arrival("p1").toCompletableFuture()).toList();
            assertThat(CompletableFuture.anyOf(calls.toArray(CompletableFuture[]::new)).join()).as("beyond max-waiters")
                    .isEqualTo("unknown");
            arrivals.awaitWaiters(20);
            arrivals.empty();
            assertThat(calls).map(CompletableFuture::join).isSubsetOf("p1 arrives tomorrow", "unknown");
        }
    }

    @Test
    void aConversionReleasesItsPermit() {
        assertThat(conversions.convert("cat")).isEqualTo("cat.webm");
        assertThat(bulkheads.semaphore("conversions").status().inUse()).isZero();
    }

    @Test
    void anInvoiceIsSentUnderItsLock() {
        assertThat(invoices.send("1")).isTrue();
        try (Permit other = bulkheads.lock("invoice-2").lock()) {
            assertThat(invoices.send("2")).isFalse();
        }
        assertThat(invoices.last()).isEqualTo("1");
    }

    @Test
    void aPermitInCodeTakesThePlaceOfACounter() {
        assertThat(imports.importLines("four")).isEqualTo(countedImports.importLines("four")).contains(4);
        try (TestBulkhead full = TestBulkhead.of(bulkheads.semaphore(Imports.IMPORTS))) {
            full.fill();
            assertThat(imports.importLines("four")).isEmpty();
        }
        assertThat(imports.importLines("four")).contains(4);
    }

    @Test
    void aCounterKeepsThePermitsOfACrashedProcess() {
        redis.value(Long.class).incrby("imports", 3);
        try {
            assertThat(countedImports.importLines("four")).isEmpty();
            assertThat(imports.importLines("four")).contains(4);
        } finally {
            redis.key().del("imports");
        }
    }
}
