package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Fault Tolerance wraps the bulkhead. */
class FaultToleranceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withApplicationRoot(jar -> jar.addClasses(Flaky.class));

    @Inject
    Flaky flaky;

    /** Trap 14: each retry takes a new permit, and gives the old one back before. */
    @Test
    void eachRetryTakesANewPermit() {
        flaky.tickets().clear();
        assertThat(flaky.retried()).isEqualTo("done");
        assertThat(flaky.tickets()).hasSize(3).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void eachRetryOfAUniTakesANewPermit() {
        flaky.tickets().clear();
        assertThat(flaky.retriedUni().await().indefinitely()).isEqualTo("done");
        assertThat(flaky.tickets()).hasSize(3).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aFallbackSeesTheRejectionAsABulkheadException() {
        assertThat(flaky.outer()).isEqualTo("fallback");
    }

    @Test
    void aRejectionIsABulkheadException() {
        assertThatThrownBy(() -> flaky.nested()).isInstanceOf(BulkheadException.class);
    }

    @ApplicationScoped
    public static class Flaky {

        private final List<Long> tickets = new ArrayList<>();

        @Inject
        Flaky self;

        @Inject
        RedisBulkheads bulkheads;

        List<Long> tickets() {
            return tickets;
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @RedisBulkhead(name = "retried", permits = 1)
        String retried() {
            tickets.add(bulkheads.semaphore("retried").holders().get(0).ticket());
            if (tickets.size() < 3) {
                throw new IllegalStateException("again");
            }
            return "done";
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @RedisBulkhead(name = "retriedUni", permits = 1)
        Uni<String> retriedUni() {
            return bulkheads.semaphore("retriedUni").holdersAsync().map(holders -> {
                tickets.add(holders.get(0).ticket());
                if (tickets.size() < 3) {
                    throw new IllegalStateException("again");
                }
                return "done";
            });
        }

        @RedisBulkhead(name = "outer", permits = 1)
        String outer() {
            return self.inner();
        }

        @Fallback(fallbackMethod = "instead", applyOn = BulkheadException.class)
        @RedisBulkhead(name = "outer", permits = 1)
        String inner() {
            return "inner";
        }

        String instead() {
            return "fallback";
        }

        @RedisBulkhead(name = "nested", permits = 1)
        void nested() {
            self.nested();
        }
    }
}
