package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
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
    void contentionBeforeALaterAnswerDoesNotMatter() {
        held(call(two, work(1)));
        one.refusal = contended();
        Admission call = call(one, patient());
        one.refusal = null;
        advance(Duration.ofSeconds(6));

        assertThat(rejection(call)).isInstanceOf(BulkheadFullException.class);
    }

    @Test
    void callThatGaveUpLeavesNothing() {
        one.refusal = contended();
        Admission call = call(one, patient());

        call.end();

        one.refusal = null;
        advance(Duration.ofSeconds(3));
        assertThat(look().granted()).isZero();
        assertThat(look().waiting()).isZero();
    }

    /** Its instance cannot state that it waits, and is served when it can. */
    @Test
    void waiterKeepsItsPlace() {
        Admission holder = call(two, waiting(1));
        Admission first = call(one, waiting(1));
        Admission second = call(two, waiting(1));
        one.refusal = contended();
        advance(Duration.ofSeconds(2));
        waits(first);

        one.refusal = null;
        advance(Duration.ofSeconds(1));
        holder.end();

        held(first);
        waits(second);
    }

    /** Trap 6: the next attempt comes long before the lease ends. */
    @Test
    void contendedRenewalIsRepeated() {
        HeldPermit permit = held(call(one, work(1)));
        advance(Duration.ofMillis(1_900));
        one.refusal = contended();
        advance(Duration.ofMillis(3_000));
        assertThat(permit.isHeld()).isTrue();

        one.refusal = null;
        advance(Duration.ofSeconds(10));

        assertThat(permit.isHeld()).isTrue();
        assertThat(one.losses).isEmpty();
    }

    @Test
    void contendedRefreshFails() {
        HeldPermit permit = held(call(one, work(1)));
        one.refusal = contended();
        assertThat(failure(permit.refresh())).isInstanceOf(BulkheadContendedException.class);
        assertThat(permit.isHeld()).isTrue();
    }

    @Test
    void contendedReleaseIsRepeated() {
        Admission call = call(one, work(1, spec -> spec.awaitRelease(true)));
        one.refusal = contended();

        assertThat(call.end().toCompletableFuture()).as("does not fail the caller").isDone();

        assertThat(look().granted()).isEqualTo(1);
        one.refusal = null;
        advance(Duration.ofSeconds(2));
        assertThat(look().granted()).isZero();
        assertThat(one.losses).isEmpty();
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
