package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Guarded calls and calls in code with a weight above 1. */
@QuarkusTest
class GuardedWeightsTest extends BehaviourTestBase {

    @Inject
    Warehouse warehouse;

    @Test
    void eachMethodHasItsOwnWeight() {
        RedisSemaphore shared = bulkheads.semaphore("weights-shared");

        assertThat(warehouse.light(() -> inUse("weights-shared"))).isEqualTo(1);
        assertThat(warehouse.heavy(() -> inUse("weights-shared"))).isEqualTo(4);
        assertThat(warehouse.heavy(() -> warehouse.light(() -> inUse("weights-shared")))).isEqualTo(5);
        assertThat(get(warehouse.later(() -> shared.statusAsync().map(now -> now.inUse())))).isEqualTo(2);
        assertThatThrownBy(() -> warehouse.heavy(() -> warehouse.heavy(() -> 0))).isInstanceOf(BulkheadFullException.class);
        assertThat(inUse("weights-shared")).isZero();
        assertThat(shared.spec().weight()).as("weight in code if methods differ").isEqualTo(1);
    }

    @Test
    void configuredWeightOverridesTheAnnotation() {
        RedisSemaphore configured = bulkheads.semaphore("weights-configured");

        assertThat(warehouse.configured(() -> inUse("weights-configured"))).isEqualTo(3);
        assertThat(configured.spec().weight()).isEqualTo(3);
        assertThat(configured.tryAcquire()).hasValueSatisfying(permit -> {
            assertThat(configured.holders()).extracting(Holder::weight).containsExactly(3);
            permit.release();
        });
    }

    @Test
    void parameterIsTheWeightOfTheCall() {
        RedisSemaphore tokens = bulkheads.semaphore("weights-tokens");

        assertThat(warehouse.tokens(2_500, () -> inUse("weights-tokens"))).isEqualTo(2_500);
        assertThat(get(warehouse.tokensLater(7_000L, () -> tokens.statusAsync().map(now -> now.inUse())))).isEqualTo(7_000);
        warehouse.tokens(2_500, () -> {
            assertThat(tokens.holders()).extracting(Holder::weight).containsExactly(2_500);
            assertThatThrownBy(() -> warehouse.tokens(5_501, () -> 0)).isInstanceOf(BulkheadFullException.class);
            return warehouse.tokens(5_500, () -> 0);
        });
        assertThat(warehouse.both(3, () -> inUse("weights-tokens") + inUse("weights-other")))
                .isEqualTo(1_003);
        assertThat(inUse("weights-tokens")).isZero();
    }

    @Test
    void rejectsCallsWithoutAUsableWeight() {
        assertThatIllegalArgumentException().isThrownBy(() -> warehouse.tokens(0, () -> 0))
                .withMessage(
                        "Warehouse#tokens: the weight of the call (@BulkheadWeight) must be at least 1, but is 0. It is how"
                                + " much the call takes of bulkhead 'weights-tokens'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> get(warehouse.tokensLater(null, () -> Uni.createFrom().item(0))))
                .withMessageContaining("but is null");
        assertThatIllegalArgumentException().isThrownBy(() -> warehouse.both(-1, () -> 0));
        for (long heavy : new long[] { 8_001, Long.MAX_VALUE }) {
            assertThatThrownBy(() -> get(warehouse.tokensLater(heavy, () -> Uni.createFrom().item(0))))
                    .isInstanceOf(BulkheadFullException.class)
                    .hasMessageContaining("has a limit of 8000, below the weight " + heavy + " of this call");
        }
        assertThat(inUse("weights-tokens")).isZero();
        assertThat(inUse("weights-other")).isZero();
        assertThat(warehouse.tokens(8_000, () -> inUse("weights-tokens"))).isEqualTo(8_000);
    }

    @Test
    void resolverStatesTheWeight() {
        assertThat(warehouse.resolved("ab", () -> bulkheads.semaphore("weights-resolved").forKey("ab").status().inUse()))
                .isEqualTo(2);
        assertThatThrownBy(() -> warehouse.resolved("abcdef", () -> 0)).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("has a limit of 5 for this key, below the weight 6");
        assertThatIllegalArgumentException().isThrownBy(() -> warehouse.resolved("", () -> 0))
                .withMessage("weight must be at least 1, but is 0");
    }

    /** The limit that a resolver gives a key may be below the weight of the method. */
    @Test
    void limitOfAKeyMayBeBelowTheWeight() {
        assertThatThrownBy(() -> warehouse.small("heavy", () -> 0)).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("has a limit of 1 for this key, below the weight 2");
        assertThat(warehouse.small("light", () -> bulkheads.semaphore("weights-small").forKey("light", 2).status().inUse()))
                .isEqualTo(1);
    }

    /** One limit for each key. */
    @Test
    void keyedCallsTakeTheirWeight() {
        RedisSemaphore one = bulkheads.semaphore("weights-keyed").forKey("one");

        assertThat(warehouse.keyed("one", () -> one.status().inUse())).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> bulkheads.semaphore("weights-keyed").forKey("one", 1))
                .withMessage(
                        "weight must not be more than the permits of bulkhead 'weights-keyed', which are 1, but is 2. Lower"
                                + " the weight, or raise the permits");
    }

    @Test
    void codeAcquiresPermitsOfAnyWeight() {
        RedisSemaphore stock = bulkheads.semaphore(SemaphoreSpec.named("weights-stock").permits(5).build());
        try (Permit three = stock.tryAcquire(3).orElseThrow();
                Permit two = get(stock.acquireAsync(2, LONG))) {
            assertThat(stock.status().inUse()).isEqualTo(5);
            assertThat(stock.tryAcquire(1)).isEmpty();
            assertThat(get(stock.tryAcquireAsync(2))).isEmpty();
            assertThat(List.of(three.isHeld(), two.isHeld())).containsOnly(true);
        }
        try (Permit all = stock.acquire(5, Duration.ZERO)) {
            assertThat(stock.holders()).extracting(Holder::permitId, Holder::weight)
                    .containsExactly(tuple(all.id(), 5));
        }
        assertThat(stock.status().inUse()).isZero();
    }

    @Test
    void rejectsWeightAboveTheResizedLimit() {
        RedisSemaphore stock = bulkheads.semaphore(SemaphoreSpec.named("weights-resized").permits(5).weight(3).build());
        stock.resize(2);

        assertThat(stock.tryAcquire()).isEmpty();
        assertThatThrownBy(() -> stock.acquire(LONG)).isInstanceOfSatisfying(BulkheadFullException.class, full -> {
            assertThat(full).hasMessageContaining("has a limit of 2, below the weight 3 of this call");
            assertThat(full.limit()).isEqualTo(2);
        });
        stock.resize(1);
        stock.resetSize();
        assertThat(stock.tryAcquire()).isPresent();
    }

    @ApplicationScoped
    static class Warehouse {

        @RedisBulkhead(name = "weights-tokens", permits = 8_000)
        int tokens(@BulkheadWeight int tokens, Supplier<Integer> inside) {
            return inside.get();
        }

        @RedisBulkhead(name = "weights-tokens", permits = 8_000)
        Uni<Integer> tokensLater(@BulkheadWeight Long tokens, Supplier<Uni<Integer>> inside) {
            return inside.get();
        }

        @RedisBulkhead(name = "weights-other", permits = 2_000, weight = 1_000)
        @RedisBulkhead(name = "weights-tokens", permits = 8_000)
        int both(@BulkheadWeight("weights-tokens") int tokens, Supplier<Integer> inside) {
            return inside.get();
        }

        @RedisBulkhead(name = "weights-small", permits = 5, weight = 2, keyResolver = SmallLimit.class)
        int small(String key, Supplier<Integer> action) {
            return action.get();
        }

        @RedisBulkhead(name = "weights-resolved", permits = 5, keyResolver = Length.class)
        int resolved(String key, Supplier<Integer> inside) {
            return inside.get();
        }

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

    @ApplicationScoped
    static class SmallLimit implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            ResolvedKey small = ResolvedKey.of((String) call.arguments().get(0)).withPermits(1);
            return small.key().equals("light") ? small.withWeight(1) : small;
        }
    }

    @ApplicationScoped
    static class Length implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            String key = (String) call.arguments().get(0);
            return ResolvedKey.of(key).withWeight(key.length());
        }
    }
}
