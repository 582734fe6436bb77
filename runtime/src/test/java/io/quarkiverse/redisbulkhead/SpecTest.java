package io.quarkiverse.redisbulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecTest {

    @Test
    void specStaysTheSameWhenItsBuilderGoesOn() {
        SemaphoreSpec.Builder builder = SemaphoreSpec.named("a").permits(1);
        SemaphoreSpec spec = builder.build();
        builder.permits(2);
        spec.toBuilder().permits(3);
        assertThat(spec.permits()).isEqualTo(1);
        assertThat(builder.build().permits()).isEqualTo(2);
        assertThatIllegalStateException().isThrownBy(() -> SemaphoreSpec.named("a").build()).withMessageContaining("permits");
    }

    /** Also that each setting is part of the value, and of its text. */
    @Test
    void keepsTheValues() {
        SemaphoreSpec spec = SemaphoreSpec.named("部署 🚀").permits(7).build();
        assertThat(spec).hasToString("'部署 🚀' (permits=7, weight=1, fair=false, expire=PT30S, maxWait=PT0S, maxHold=none, "
                + "minHold=PT0S, keepIdle=PT1S, onLost=REPORT, onOutage=REJECT, localPermits=7, maxWaiters=none, "
                + "awaitRelease=false)");
        Duration cutOff = Duration.ofNanos(5_000_999_999L);
        for (Consumer<SemaphoreSpec.Builder> setting : Stream.<Consumer<SemaphoreSpec.Builder>> of(b -> b.permits(8),
                b -> b.weight(7), b -> b.fair(true), b -> b.expire(cutOff), b -> b.maxWait(cutOff), b -> b.maxHold(cutOff),
                b -> b.minHold(cutOff), b -> b.keepIdle(cutOff), b -> b.onLost(OnLost.INTERRUPT),
                b -> b.onOutage(OnOutage.ALLOW), b -> b.localPermits(2), b -> b.maxWaiters(0), b -> b.awaitRelease(true))
                .toList()) {
            SemaphoreSpec.Builder builder = spec.toBuilder();
            setting.accept(builder);
            SemaphoreSpec other = builder.build();
            assertThat(other).isNotEqualTo(spec).isEqualTo(other.toBuilder().build()).hasSameHashCodeAs(builder.build());
            assertThat(other.toString()).isNotEqualTo(spec.toString()).doesNotContain("999");
        }
    }

    @Test
    void locksHaveDefaultsAndValueSemantics() {
        LockSpec spec = LockSpec.named("orders").build();
        assertThat(spec).isEqualTo(LockSpec.named("orders").lockTimeout(Duration.ofNanos(30_000_999_999L)).build())
                .hasSameHashCodeAs(LockSpec.named("orders").build())
                .isNotEqualTo(LockSpec.named("orders").lockTimeout(Duration.ofSeconds(5)).build())
                .isNotEqualTo(LockSpec.named("invoices").build()).isNotEqualTo(spec.bulkhead())
                .hasToString("'orders' (acquireTimeout=PT10S, lockTimeout=PT30S, fair=false, maxHold=none, minHold=PT0S, "
                        + "keepIdle=PT0S, onLost=REPORT, awaitRelease=false)");
    }

    @Test
    void lockIsABulkheadWithOnePermitThatRejectsCallsInAnOutage() {
        LockSpec.Builder lock = LockSpec.named("orders").acquireTimeout(Duration.ofSeconds(1))
                .lockTimeout(Duration.ofSeconds(2))
                .fair(true).maxHold(Duration.ofSeconds(3)).onLost(OnLost.INTERRUPT).keepIdle(Duration.ofSeconds(4))
                .minHold(Duration.ofSeconds(2));
        assertThat(lock.build().bulkhead()).hasToString("'lock:orders' (permits=1, weight=1, fair=true, expire=PT2S, "
                + "maxWait=PT1S, maxHold=PT3S, minHold=PT2S, keepIdle=PT4S, onLost=INTERRUPT, onOutage=REJECT, localPermits=1, "
                + "maxWaiters=none, awaitRelease=false)");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "", " ", "\t\n", "\uD800", "a\nb", "a\u0000", "\u001b[1m" })
    void refusesInvalidNames(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named(name)).withMessageContaining("name");
        // Names are logged, and may be user input.
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named(name)).withMessageContaining("name must")
                .satisfies(refused -> assertThat(name == null || name.isBlank() ? "" : refused.getMessage())
                        .doesNotContain("\n", "\u0000", "\u001b"));
    }

    @Test
    void refusesNamesOfLocksAndLongOnes() {
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("lock:orders"))
                .withMessage("name must not begin with 'lock:', which is reserved for locks, but is 'lock:orders'. Use "
                        + "another name, or RedisBulkheads.lock(\"orders\") for a lock");
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("lock:"));
        assertThat(SemaphoreSpec.named("a lock:").permits(1).build().name()).isEqualTo("a lock:");
        assertThat(SemaphoreSpec.named("x".repeat(200)).permits(1).build().name()).hasSize(200);
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("x".repeat(201)))
                .withMessageContaining("200").withMessageContaining("201");
        assertThat(LockSpec.named("x".repeat(195)).build().bulkhead().name()).hasSize(200);
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("x".repeat(196)))
                .withMessageContaining("195").withMessageContaining("196");
    }

    static Stream<Arguments> refused() {
        SemaphoreSpec.Builder spec = SemaphoreSpec.named("a").permits(3).expire(Duration.ofSeconds(10));
        LockSpec.Builder lock = LockSpec.named("a");
        Duration negative = Duration.ofMillis(-1);
        Duration year = Duration.ofDays(366);
        return Stream.<Object[]> of(
                row(() -> spec.permits(0), "permits must be at least 1, but is 0"),
                row(() -> spec.permits(Integer.MIN_VALUE), "permits must be at least 1, but is -2147483648"),
                row(() -> ResolvedKey.of(null), "`key` must not be `null`"),
                row(() -> ResolvedKey.of("a").withPermits(0), "permits must be at least 1, but is 0"),
                row(() -> ResolvedKey.of("a").withWeight(0), "weight must be at least 1, but is 0"),
                row(() -> spec.weight(0), "weight must be at least 1, but is 0"),
                row(() -> spec.localPermits(0), "localPermits must be at least 1, but is 0"),
                row(() -> spec.maxWaiters(-1), "maxWaiters must be at least 0, but is -1"),
                row(() -> spec.expire(null), "`expire` must not be `null`"),
                row(() -> spec.expire(Duration.ZERO), "expire must be at least one millisecond, but is PT0S"),
                row(() -> spec.expire(Duration.ofNanos(900_000)), "expire must be at least one millisecond, but is PT0.0009S"),
                row(() -> spec.expire(year), "expire must not be longer than 365 days, but is PT8784H"),
                row(() -> spec.maxWait(negative), "maxWait must not be negative, but is PT-0.001S"),
                row(() -> spec.maxHold(Duration.ZERO), "maxHold must be at least one millisecond, but is PT0S"),
                row(() -> spec.minHold(negative), "minHold must not be negative, but is PT-0.001S"),
                row(() -> spec.keepIdle(year), "keepIdle must not be longer than 365 days, but is PT8784H"),
                row(() -> spec.keepIdle(null), "`keepIdle` must not be `null`"),
                row(() -> spec.keepIdleOfSeveral(negative), "keepIdle must not be negative, but is PT-0.001S"),
                row(() -> spec.onOutage(null), "`onOutage` must not be `null`"),
                row(() -> lock.onLost(null), "`onLost` must not be `null`"),
                row(() -> lock.acquireTimeout(negative), "acquireTimeout must not be negative, but is PT-0.001S"),
                row(() -> lock.acquireTimeout(null), "`acquireTimeout` must not be `null`"),
                row(() -> lock.lockTimeout(Duration.ZERO), "lockTimeout must be at least one millisecond, but is PT0S"),
                row(() -> spec.build().toBuilder().weight(4).build(), "weight must not be more than the permits of bulkhead "
                        + "'a', which are 3, but is 4. Lower the weight, or raise the permits"),
                row(() -> spec.build().toBuilder().minHold(Duration.ofSeconds(11)).build(), "minHold must not be longer than "
                        + "expire, which is PT10S, but is PT11S. Make it shorter, or expire longer"),
                row(() -> spec.build().toBuilder().minHold(Duration.ofSeconds(9)).maxHold(Duration.ofSeconds(8)).build(),
                        "minHold must not be longer than maxHold, which is PT8S, but is PT9S. Make it shorter, or maxHold "
                                + "longer"),
                row(() -> lock.minHold(Duration.ofSeconds(31)).build(), "minHold must not be longer than lockTimeout, which is "
                        + "PT30S, but is PT31S. Make it shorter, or lockTimeout longer"))
                .map(Arguments::of);
    }

    private static Object[] row(Runnable setting, String message) {
        return new Object[] { setting, message };
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource
    void refused(Runnable setting, String message) {
        assertThatIllegalArgumentException().isThrownBy(setting::run).withMessage(message);
    }

    @Test
    void keepIdleDependsOnThePermits() {
        SemaphoreSpec several = SemaphoreSpec.named("a").permits(2).build();
        SemaphoreSpec one = several.toBuilder().permits(1).build();
        assertThat(one.keepIdle()).isZero();
        assertThat(one.toBuilder().permits(2).build()).isEqualTo(several);

        SemaphoreSpec kept = one.toBuilder().keepIdle(SemaphoreSpec.MAX_EXPIRE).build();
        assertThat(kept.keepIdle()).as("longer than the lease").isEqualTo(SemaphoreSpec.MAX_EXPIRE);
        assertThat(kept.toBuilder().permits(2).build().keepIdle()).isEqualTo(SemaphoreSpec.MAX_EXPIRE);

        SemaphoreSpec ofSeveral = one.toBuilder().keepIdleOfSeveral(Duration.ofSeconds(5)).build();
        assertThat(ofSeveral.keepIdle()).isZero();
        assertThat(ofSeveral).as("differs for keys with more permits").isNotEqualTo(one);
        assertThat(ofSeveral.toBuilder().permits(2).build().keepIdle()).hasSeconds(5);
        assertThat(ofSeveral.toBuilder().permits(2).keepIdle(Duration.ZERO).build().keepIdle()).isZero();
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
