package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** A store that replies but refuses statements under contention: neither full nor an outage. */
class ContentionTest extends TwoInstances {

    private static SemaphoreDefinition patient() {
        return work(1, spec -> spec.maxWait(Duration.ofSeconds(5)));
    }

    private static StoreException contended() {
        return new StoreException(Kind.CONTENDED, "too many");
    }

    @AfterEach
    void noCallIsCounted() {
        one.engine.refuseAndRejectWaiters();
        assertThat(one.limits.isEmpty()).isTrue();
    }

    @Test
    void callThatDoesNotWaitIsRejected() {
        one.refusal = contended();

        assertThat(rejection(call(one, work(1)))).isInstanceOfSatisfying(BulkheadContendedException.class, e -> {
            assertThat(e.name()).isEqualTo("work");
            assertThat(e).hasMessageContaining("'work'").hasMessageContaining("may have been free")
                    .hasMessageContaining("max-wait")
                    .hasMessageContaining("quarkus.redis-bulkhead.lock-store.contention-timeout")
                    .hasMessageContaining("quarkus.redis-bulkhead.store=script")
                    .matches(failure -> StoreException.is(failure.getCause(), Kind.CONTENDED));
        });
    }

    /** It leaves its worker thread meanwhile. */
    @Test
    void callThatWaitsTriesAgain() {
        one.refusal = contended();
        Admission call = call(one, patient());
        waits(call);
        assertThat(call.attempted().toCompletableFuture()).isCompleted();
        int before = one.statements;
        advance(Duration.ofSeconds(2));
        assertThat(one.statements - before).as("with pauses").isBetween(2, 20);

        one.refusal = null;
        advance(Duration.ofSeconds(1));

        held(call);
    }

    @Test
    void contentionUntilTheTimeoutIsReported() {
        one.refusal = contended();
        Admission call = call(one, patient());
        advance(Duration.ofMillis(4_999));
        waits(call);

        advance(Duration.ofMillis(2));

        assertThat(rejection(call)).isInstanceOf(BulkheadContendedException.class);
        int before = one.statements;
        advance(Duration.ofSeconds(5));
        assertThat(one.statements - before).as("that the call does not wait any more").isLessThanOrEqualTo(1);
    }

    @Test
    void contendedRefreshFails() {
        HeldPermit permit = held(call(one, work(1)));
        one.refusal = contended();
        assertThat(failure(permit.refresh())).isInstanceOf(BulkheadContendedException.class);
        assertThat(permit.isHeld()).isTrue();
    }

    /** No call bypasses the limit or gets a local permit: the store is reachable, and others hold its permits. */
    @Test
    void contentionIsNotAnOutage() {
        one.refusal = contended();
        for (OnOutage policy : OnOutage.values()) {
            assertThat(rejection(call(one, work(1, spec -> spec.onOutage(policy))))).as("%s", policy)
                    .isInstanceOf(BulkheadContendedException.class);
        }
    }
}
