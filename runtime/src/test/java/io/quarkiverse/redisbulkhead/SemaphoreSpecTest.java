package io.quarkiverse.redisbulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SemaphoreSpecTest {

    @Test
    void specStaysTheSameWhenItsBuilderGoesOn() {
        SemaphoreSpec.Builder builder = SemaphoreSpec.named("a").permits(1);
        SemaphoreSpec spec = builder.build();
        builder.permits(2);
        spec.toBuilder().permits(3);

        assertThat(spec.permits()).isEqualTo(1);
        assertThat(builder.build().permits()).isEqualTo(2);
    }

    @Test
    void keepsTheValues() {
        SemaphoreSpec spec = SemaphoreSpec.named("部署 🚀").permits(Integer.MAX_VALUE).fair(true)
                .expire(Duration.ofNanos(1_999_999)).build();

        assertThat(spec.name()).isEqualTo("部署 🚀");
        assertThat(spec.permits()).isEqualTo(Integer.MAX_VALUE);
        assertThat(spec.fair()).isTrue();
        assertThat(spec.expire()).isEqualTo(Duration.ofMillis(1));
        assertThat(spec).isEqualTo(SemaphoreSpec.named("部署 🚀").permits(Integer.MAX_VALUE).fair(true)
                .expire(Duration.ofMillis(1)).build());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "", " ", "\t\n", "\uD800" })
    void refusesInvalidNames(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named(name)).withMessageContaining("name");
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named(name)).withMessageContaining("name");
    }

    /** Names are logged, and may be user input. */
    @ParameterizedTest
    @ValueSource(strings = { "a\nb", "a\u0000", "\u001b[1m" })
    void refusesControlCharacters(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named(name)).withMessageContaining("control")
                .withMessageNotContainingAny("\n", "\u0000", "\u001b");
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named(name)).withMessageContaining("control");
    }

    @Test
    void refusesTheLockPrefix() {
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("lock:orders"))
                .withMessage(
                        "name must not begin with 'lock:', which is reserved for locks, but is 'lock:orders'. Use "
                                + "another name, or RedisBulkheads.lock(\"orders\") for a lock");
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("lock:"));
        assertThat(SemaphoreSpec.named("lock").permits(1).build().name()).isEqualTo("lock");
        assertThat(SemaphoreSpec.named("a lock:").permits(1).build().name()).isEqualTo("a lock:");
    }

    @Test
    void refusesALongName() {
        assertThat(SemaphoreSpec.named("x".repeat(200)).permits(1).build().name()).hasSize(200);
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("x".repeat(201)))
                .withMessageContaining("200").withMessageContaining("201");
        assertThat(LockSpec.named("x".repeat(195)).build().bulkhead().name()).hasSize(200);
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("x".repeat(196)))
                .withMessageContaining("195").withMessageContaining("196");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "PT0S", "PT-1S", "PT0.0009S", "P366D" })
    void refusesInvalidLeases(Duration expire) {
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("a").expire(expire))
                .withMessageContaining("expire");
        assertThatIllegalArgumentException().isThrownBy(() -> LockSpec.named("a").lockTimeout(expire))
                .withMessageContaining("lockTimeout");
    }

    @Test
    void eachValueIsComparedAndShown() {
        SemaphoreSpec usual = SemaphoreSpec.named("a").permits(3).build();
        Map.<String, UnaryOperator<SemaphoreSpec.Builder>> of("permits=4", spec -> spec.permits(4), "weight=3",
                spec -> spec.weight(3), "maxWaiters=0", spec -> spec.maxWaiters(0), "awaitRelease=true",
                spec -> spec.awaitRelease(true), "minHold=PT10S", spec -> spec.minHold(Duration.ofNanos(10_000_999_999L)),
                "keepIdle=PT5S", spec -> spec.keepIdle(Duration.ofNanos(5_000_999_999L))).forEach((shown, change) -> {
                    SemaphoreSpec changed = change.apply(usual.toBuilder()).build();
                    assertThat(changed).isNotEqualTo(usual).isEqualTo(changed.toBuilder().build());
                    assertThat(usual.toString()).doesNotContain(shown);
                    assertThat(changed.toString()).contains(shown);
                });
        assertThat(usual.maxWaiters()).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("a").maxWaiters(-1))
                .withMessage("maxWaiters must be at least 0, but is -1");
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("a").permits(0))
                .withMessage("permits must be at least 1, but is 0");
        assertThatIllegalArgumentException().isThrownBy(() -> SemaphoreSpec.named("a").weight(0))
                .withMessage("weight must be at least 1, but is 0");
        assertThatIllegalArgumentException().isThrownBy(() -> usual.toBuilder().weight(4).build()).withMessage("weight must not"
                + " be more than the permits of bulkhead 'a', which are 3, but is 4. Lower the weight, or raise the permits");
    }

    @Test
    void requiresPermits() {
        assertThatIllegalStateException().isThrownBy(() -> SemaphoreSpec.named("a").build()).withMessageContaining("permits");
    }

    @Test
    void minHoldIsAtMostTheLeaseAndMaxHold() {
        SemaphoreSpec.Builder spec = SemaphoreSpec.named("a").permits(1).expire(Duration.ofSeconds(10));
        assertThatIllegalArgumentException().isThrownBy(spec.minHold(Duration.ofSeconds(11))::build).withMessage(
                "minHold must not be longer than expire, which is PT10S, but is PT11S. Make it shorter, or expire longer");
        assertThatIllegalArgumentException()
                .isThrownBy(spec.minHold(Duration.ofSeconds(9)).maxHold(Duration.ofSeconds(8))::build)
                .withMessageContaining("maxHold, which is PT8S");
        assertThatIllegalArgumentException().isThrownBy(() -> spec.minHold(Duration.ofMillis(-1)))
                .withMessageContaining("minHold must not be negative");
        assertThatIllegalArgumentException().isThrownBy(() -> spec.minHold(null)).withMessageContaining("minHold");
    }

    @Test
    void keepIdleDefaultsToOneSecondAndToZeroForOnePermit() {
        SemaphoreSpec several = SemaphoreSpec.named("a").permits(2).build();
        assertThat(several.keepIdle()).hasSeconds(1);
        SemaphoreSpec one = several.toBuilder().permits(1).build();
        assertThat(one.keepIdle()).isZero();
        assertThat(one.toBuilder().permits(2).build()).isEqualTo(several);
        SemaphoreSpec kept = one.toBuilder().keepIdle(Duration.ofSeconds(5)).build();
        assertThat(kept.keepIdle()).hasSeconds(5);
        assertThat(kept.toBuilder().permits(2).build().keepIdle()).hasSeconds(5);
    }

    @Test
    void keepIdleOfSeveralDependsOnThePermits() {
        SemaphoreSpec one = SemaphoreSpec.named("a").permits(1).keepIdleOfSeveral(Duration.ofSeconds(5)).build();
        assertThat(one.keepIdle()).isZero();
        assertThat(one.toBuilder().permits(2).build().keepIdle()).hasSeconds(5);
        assertThat(one).as("differs for keys with more permits").isNotEqualTo(SemaphoreSpec.named("a").permits(1).build());
        assertThat(one.toBuilder().permits(2).keepIdle(Duration.ZERO).build().keepIdle()).isZero();
    }

    @Test
    void keepIdleMayBeLongerThanTheLeaseUpToAYear() {
        SemaphoreSpec.Builder spec = SemaphoreSpec.named("a").permits(2).expire(Duration.ofSeconds(1));
        assertThat(spec.keepIdle(SemaphoreSpec.MAX_EXPIRE).build().keepIdle()).isEqualTo(SemaphoreSpec.MAX_EXPIRE);
        assertThatIllegalArgumentException().isThrownBy(() -> spec.keepIdle(Duration.ofDays(366)))
                .withMessage("keepIdle must not be longer than 365 days, but is PT8784H");
        assertThatIllegalArgumentException().isThrownBy(() -> spec.keepIdle(Duration.ofMillis(-1)))
                .withMessage("keepIdle must not be negative, but is PT-0.001S");
        assertThatIllegalArgumentException().isThrownBy(() -> spec.keepIdleOfSeveral(Duration.ofMillis(-1)))
                .withMessageContaining("keepIdle must not be negative");
        assertThatIllegalArgumentException().isThrownBy(() -> spec.keepIdle(null)).withMessageContaining("keepIdle");
    }
}
