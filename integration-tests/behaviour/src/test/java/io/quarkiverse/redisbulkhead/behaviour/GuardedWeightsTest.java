package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Guarded calls and calls in code with a weight above 1. */
@QuarkusTest
class GuardedWeightsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Inject
    Warehouse warehouse;

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void eachMethodHasItsOwnWeight() {
        RedisSemaphore shared = bulkheads.semaphore("weights-shared");

        assertThat(warehouse.light(() -> shared.status().inUse())).isEqualTo(1);
        assertThat(warehouse.heavy(() -> shared.status().inUse())).isEqualTo(4);
        assertThat(warehouse.heavy(() -> warehouse.light(() -> shared.status().inUse()))).isEqualTo(5);
        assertThatThrownBy(() -> warehouse.heavy(() -> warehouse.heavy(() -> 0))).isInstanceOf(BulkheadFullException.class);
        assertThat(shared.status().inUse()).isZero();
        assertThat(shared.spec().weight()).as("weight in code if methods differ").isEqualTo(1);
    }

    @Test
    void configuredWeightOverridesTheAnnotation() {
        RedisSemaphore configured = bulkheads.semaphore("weights-configured");

        assertThat(warehouse.configured(() -> configured.status().inUse())).isEqualTo(3);
        assertThat(configured.spec().weight()).isEqualTo(3);
        assertThat(configured.tryAcquire()).hasValueSatisfying(permit -> {
            assertThat(configured.holders()).extracting(Holder::weight).containsExactly(3);
            permit.release();
        });
    }

    @Test
    void asynchronousCallsTakeTheirWeight() {
        RedisSemaphore shared = bulkheads.semaphore("weights-shared");

        assertThat(warehouse.later(() -> shared.statusAsync().map(now -> now.inUse())).await().atMost(PATIENCE)).isEqualTo(2);
    }

    /** One limit for each key. */
    @Test
    void keyedCallsTakeTheirWeight() {
        RedisSemaphore one = bulkheads.semaphore("weights-keyed").forKey("one");

        assertThat(warehouse.keyed("one", () -> one.status().inUse())).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> bulkheads.semaphore("weights-keyed").forKey("one", 1))
                .withMessage(
                        "weight must not be more than the permits of bulkhead 'weights-keyed', which are 1, but is 2. Lower the weight, or raise the permits");
    }

    @Test
    void codeAcquiresPermitsOfAnyWeight() {
        RedisSemaphore stock = bulkheads.semaphore(SemaphoreSpec.named("weights-stock").permits(5).build());
        try (Permit three = stock.tryAcquire(3).orElseThrow();
                Permit two = stock.acquireAsync(2, PATIENCE).await().atMost(PATIENCE)) {
            assertThat(stock.status().inUse()).isEqualTo(5);
            assertThat(stock.tryAcquire(1)).isEmpty();
            assertThat(stock.tryAcquireAsync(2).await().atMost(PATIENCE)).isEmpty();
            assertThat(List.of(three.isHeld(), two.isHeld())).containsOnly(true);
        }
        try (Permit all = stock.acquire(5, Duration.ZERO)) {
            assertThat(stock.holders()).extracting(Holder::permitId, Holder::weight)
                    .containsExactly(tuple(all.id(), 5));
        }
        assertThat(stock.status().inUse()).isZero();
    }

    @Test
    void rejectsWeightsOutOfRange() {
        RedisSemaphore stock = bulkheads.semaphore(SemaphoreSpec.named("weights-stock").permits(5).build());

        assertThatIllegalArgumentException().isThrownBy(() -> stock.tryAcquire(0))
                .withMessage("weight must be from 1 to 1000, but is 0");
        assertThatIllegalArgumentException().isThrownBy(() -> stock.acquire(6, PATIENCE))
                .withMessage(
                        "weight must not be more than the permits of bulkhead 'weights-stock', which are 5, but is 6. Lower the weight, or raise the permits");
        assertThatIllegalArgumentException().isThrownBy(() -> stock.tryAcquireAsync(6));
        assertThatIllegalArgumentException().isThrownBy(() -> stock.acquireAsync(1_001, PATIENCE));
    }

    @Test
    void rejectsWeightAboveTheResizedLimit() {
        RedisSemaphore stock = bulkheads.semaphore(SemaphoreSpec.named("weights-resized").permits(5).weight(3).build());
        stock.resize(2);

        assertThat(stock.tryAcquire()).isEmpty();
        assertThatThrownBy(() -> stock.acquire(PATIENCE)).isInstanceOfSatisfying(BulkheadFullException.class, full -> {
            assertThat(full).hasMessageContaining("has a limit of 2, below the weight 3 of this call");
            assertThat(full.limit()).isEqualTo(2);
        });
        stock.resize(1);
        stock.resetSize();
        // The instance learns the new limit by a message.
        await().atMost(PATIENCE).until(() -> stock.tryAcquire().isPresent());
    }

    @ApplicationScoped
    public static class Warehouse {

        @RedisBulkhead(name = "weights-shared", permits = 6)
        int light(Supplier<Integer> action) {
            return action.get();
        }

        @RedisBulkhead(name = "weights-shared", weight = 4)
        int heavy(Supplier<Integer> action) {
            return action.get();
        }

        @RedisBulkhead(name = "weights-shared", weight = 2)
        Uni<Integer> later(Supplier<Uni<Integer>> action) {
            return action.get();
        }

        @RedisBulkhead(name = "weights-configured", permits = 4, weight = 2)
        int configured(Supplier<Integer> action) {
            return action.get();
        }

        @RedisBulkhead(name = "weights-keyed", permits = 4, weight = 2)
        int keyed(@BulkheadKey String key, Supplier<Integer> action) {
            return action.get();
        }
    }
}
