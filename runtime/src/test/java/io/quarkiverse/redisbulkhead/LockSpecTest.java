package io.quarkiverse.redisbulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockSpecTest {

    /** A lock is a bulkhead with one permit that rejects calls during an outage. */
    @Test
    void isABulkheadWithOnePermit() {
        assertThat(LockSpec.named("orders").build())
                .hasToString("'orders' (acquireTimeout=PT10S, lockTimeout=PT30S, fair=false,"
                        + " maxHold=none, minHold=PT0S, keepIdle=PT0S, onLost=REPORT, awaitRelease=false)");
        assertThat(LockSpec.named("orders").acquireTimeout(Duration.ofSeconds(1)).lockTimeout(Duration.ofSeconds(2)).fair(true)
                .maxHold(Duration.ofSeconds(3)).onLost(OnLost.INTERRUPT).build().bulkhead())
                .hasToString(
                        "'lock:orders' (permits=1, weight=1, fair=true, expire=PT2S, maxWait=PT1S, maxHold=PT3S, minHold=PT0S,"
                                + " keepIdle=PT0S, onLost=INTERRUPT, onOutage=REJECT, localPermits=1, maxWaiters=none, awaitRelease=false)");
    }

    @Test
    void hasValueSemantics() {
        LockSpec spec = LockSpec.named("orders").lockTimeout(Duration.ofSeconds(5)).build();
        assertThat(spec).isEqualTo(LockSpec.named("orders").lockTimeout(Duration.ofNanos(5_000_999_999L)).build())
                .hasSameHashCodeAs(LockSpec.named("orders").lockTimeout(Duration.ofSeconds(5)).build())
                .isNotEqualTo(spec.bulkhead())
                .isNotEqualTo(LockSpec.named("orders").build())
                .isNotEqualTo(LockSpec.named("invoices").lockTimeout(Duration.ofSeconds(5)).build());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "PT-1S", "P366D" })
    void refusesInvalidAcquireTimeouts(Duration wait) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("a").acquireTimeout(wait))
                .withMessageContaining("acquireTimeout");
    }

    @Test
    void refusesOtherInvalidValues() {
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("a").onLost(null)).withMessageContaining("onLost");
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("a").maxHold(Duration.ZERO))
                .withMessageContaining("maxHold");
    }

    @Test
    void minHoldIsAtMostTheLease() {
        LockSpec.Builder spec = LockSpec.named("a").lockTimeout(Duration.ofSeconds(5));
        assertThat(spec.minHold(Duration.ofSeconds(5)).build().bulkhead().minHold()).hasSeconds(5);
        assertThatIllegalArgumentException().isThrownBy(spec.minHold(Duration.ofSeconds(6))::build).withMessage(
                "minHold must not be longer than lockTimeout, which is PT5S, but is PT6S. Make it shorter, or lockTimeout longer");
    }

    @Test
    void keepIdleAppliesToTheOnlyPermit() {
        LockSpec spec = LockSpec.named("a").keepIdle(Duration.ofSeconds(5)).build();
        assertThat(spec.keepIdle()).hasSeconds(5);
        assertThat(spec.bulkhead().keepIdle()).hasSeconds(5);
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("a").keepIdle(Duration.ofMillis(-1)))
                .withMessageContaining("keepIdle must not be negative");
    }

    @Test
    void rejectionDescribesTheLock() {
        LockNotAcquiredException rejection = new LockNotAcquiredException("orders", Duration.ofMillis(1_500));
        assertThat(rejection).hasMessage("Lock 'orders' was not free in time; the lease of its owner ends in 1500 ms, "
                + "unless it is renewed");
        assertThat(rejection.lock()).isEqualTo("orders");
        assertThat(rejection.name()).isEqualTo("lock:orders");
        assertThat(rejection.limit()).isEqualTo(1);
        assertThat(rejection.nearestLeaseEnd()).hasMillis(1_500);
    }
}
