package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;

/** Bulkheads in code are configured by name, and must not conflict with other definitions. */
@QuarkusTest
class DefinedInCodeTest {

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void configurationOverridesTheSpec() {
        RedisSemaphore imports = bulkheads.semaphore(SemaphoreSpec.named("configured-in-code").permits(5).build());

        assertThat(imports.spec()).isEqualTo(SemaphoreSpec.named("configured-in-code").permits(1)
                .maxWait(Duration.ofMillis(10)).build());
        try (Permit only = imports.tryAcquire().orElseThrow()) {
            assertThat(only.isHeld()).isTrue();
            assertThat(imports.tryAcquire()).isEmpty();
            assertThat(imports.status().limit()).isEqualTo(1);
        }
    }

    @Test
    void disablesOneBulkhead() {
        RedisSemaphore off = bulkheads.semaphore(SemaphoreSpec.named("off-in-code").permits(1).build());

        off.run(() -> off.run(() -> assertThat(off.status().inUse()).isZero()));
    }

    @Test
    @DisplayName("Trap 44: code defines another limit than the annotation")
    void codeConflictsWithAnAnnotation() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bulkheads.semaphore(SemaphoreSpec.named("in-annotation").permits(3).build()))
                .withMessageStartingWith("RBH035 Bulkhead 'in-annotation' has different values: permits=2, fair=false in the"
                        + " annotation of " + Guarded.class.getName()
                        + "#guarded; permits=3, fair=false in the SemaphoreSpec of"
                        + " DefinedInCodeTest#")
                .withMessageEndingWith("See "
                        + "https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH035");
    }

    @Test
    @DisplayName("Trap 44: code defines another limit than other code")
    void codeConflictsWithOtherCode() {
        bulkheads.semaphore(SemaphoreSpec.named("twice-in-code").permits(2).build());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> bulkheads.semaphore(SemaphoreSpec.named("twice-in-code").permits(3).build()))
                .withMessageStartingWith("RBH035 Bulkhead 'twice-in-code' has different values: permits=2, fair=false in the"
                        + " SemaphoreSpec of DefinedInCodeTest#codeConflictsWithOtherCode; permits=3");
        assertThat(bulkheads.semaphore(SemaphoreSpec.named("twice-in-code").permits(2).expire(Duration.ofMinutes(1)).build())
                .spec().expire()).hasMinutes(1);
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "in-annotation", permits = 2)
        void guarded() {
        }
    }
}
