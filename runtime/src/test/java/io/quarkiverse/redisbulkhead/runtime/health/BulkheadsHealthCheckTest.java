package io.quarkiverse.redisbulkhead.runtime.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.config.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.health.BulkheadsHealthCheck.RedisState;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.semaphore.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ForwardingStore;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

class BulkheadsHealthCheckTest {

    @Test
    void withoutAnAnswerRedisIsAway() {
        assertThat(redis(new StoreAwayException("no answer", false, null))).isEqualTo(RedisState.AWAY);
    }

    /** A wrong password or a missing right is no silence, and is not called one. */
    @Test
    void aRefusalIsNotCalledSilence() {
        assertThat(redis(new StoreException("Redis answered: NOPERM", false, null))).isEqualTo(RedisState.REFUSES);
    }

    /** With store=lock: Redis does its part, so an application that is busy stays ready. */
    @Test
    void contentionIsNoOutage() {
        assertThat(redis(new StoreContendedException("busy"))).isEqualTo(RedisState.ANSWERS);
    }

    /** As any check that fails. */
    @Test
    void whatIsNoOutageFailsTheCheck() {
        assertThatThrownBy(() -> redis(new IllegalStateException("a mistake"))).hasStackTraceContaining("a mistake");
    }

    private static RedisState redis(RuntimeException failure) {
        PermitStore store = new ForwardingStore(new LocalPermitStore(System::nanoTime, System.currentTimeMillis())) {

            @Override
            public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
                return CompletableFuture.failedStage(failure);
            }
        };
        SemaphoreEngine engine = new SemaphoreEngine(store, new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
        }, true);
        return new BulkheadsHealthCheck(new Overview(List.of(), name -> Optional.empty(), engine), StoreKind.SCRIPT).redis()
                .await()
                .atMost(Duration.ofSeconds(10));
    }
}
