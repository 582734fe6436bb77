package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/** Each call sees its own permits, then those of enclosing calls. */
class HeldPermitsTest {

    final HeldPermit first = new NamedPermit("first");
    final HeldPermit second = new NamedPermit("second");
    final HeldPermit third = new NamedPermit("third");

    @Test
    void nestedCallsSeeTheirPermitsAndTheEnclosingOnes() throws Exception {
        HeldPermits.with(holding(first, second), () -> {
            assertThat(HeldPermits.innermost()).containsSame(second);
            HeldPermits.with(holding(third), () -> {
                assertThat(HeldPermits.innermost()).containsSame(third);
                assertThat(HeldPermits.innermost("first")).containsSame(first);
                assertThat(HeldPermits.innermost("second")).containsSame(second);
                assertThat(HeldPermits.innermost("other")).isEmpty();
                return null;
            });
            assertThat(HeldPermits.innermost()).containsSame(second);
            assertThat(HeldPermits.innermost("third")).isEmpty();
            return null;
        });
        assertNone();
    }

    @Test
    void innermostPermitOfABulkheadWins() throws Exception {
        HeldPermit again = new NamedPermit("first");
        HeldPermits.with(holding(first), () -> HeldPermits.with(holding(again), () -> {
            assertThat(HeldPermits.innermost("first")).containsSame(again);
            return null;
        }));
    }

    @Test
    void permitsAreRemovedAfterAnException() throws Exception {
        HeldPermits.with(holding(first), () -> {
            assertThatThrownBy(() -> HeldPermits.with(holding(second), () -> {
                throw new IllegalStateException("own");
            })).hasMessage("own");
            assertThat(HeldPermits.innermost()).containsSame(first);
            return null;
        });
        assertThatThrownBy(() -> HeldPermits.with(holding(first), () -> {
            throw new IllegalStateException("own");
        })).hasMessage("own");
        assertNone();
    }

    /** A method whose bulkheads are disabled must not see the permit of its caller as its own. */
    @Test
    void openGuardHidesTheEnclosingPermit() throws Exception {
        Callable<Object> method = HeldPermits::innermost;
        HeldPermits.with(holding(first), () -> {
            Guard open = Guard.open(List.of(second));
            assertThat(open.call(() -> null, method)).isEqualTo(Optional.of(second));
            assertThat(open.call(() -> null, () -> HeldPermits.innermost("first"))).isEqualTo(Optional.of(first));
            return null;
        });
    }

    @Test
    void otherThreadsSeeNoPermits() throws Exception {
        HeldPermits.with(holding(first), () -> {
            CompletableFuture.runAsync(this::assertNone).join();
            return null;
        });
    }

    private static Admission holding(HeldPermit... permits) {
        return new Guard.Uncounted(List.of(permits));
    }

    private void assertNone() {
        assertThat(HeldPermits.innermost()).isEmpty();
        assertThat(HeldPermits.innermost("first")).isEmpty();
    }

    private static final class NamedPermit extends ManualPermit {

        private final String bulkhead;

        private NamedPermit(String bulkhead) {
            this.bulkhead = bulkhead;
        }

        @Override
        public String bulkhead() {
            return bulkhead;
        }

        @Override
        public Optional<String> key() {
            return Optional.empty();
        }
    }
}
