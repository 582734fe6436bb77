package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

class ScheduledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withApplicationRoot(jar -> jar.addClasses(Jobs.class));

    @Test
    void scheduledMethodsHoldPermits() throws Exception {
        assertThat(Jobs.BLOCKING.get(10, TimeUnit.SECONDS)).isEqualTo("Jobs#blocking");
        assertThat(Jobs.ASYNCHRONOUS.get(10, TimeUnit.SECONDS)).isEqualTo("Jobs#asynchronous");
    }

    public static class Jobs {

        static final CompletableFuture<String> BLOCKING = new CompletableFuture<>();
        static final CompletableFuture<String> ASYNCHRONOUS = new CompletableFuture<>();

        @Inject
        RedisBulkheads bulkheads;

        @Scheduled(every = "1s")
        @RedisBulkhead(name = "blocking", permits = 1)
        void blocking() {
            bulkheads.semaphore("blocking").holders().stream().map(Holder::method).forEach(BLOCKING::complete);
        }

        @Scheduled(every = "1s")
        @RedisBulkhead(name = "asynchronous", permits = 1)
        Uni<Void> asynchronous() {
            return bulkheads.semaphore("asynchronous").holdersAsync()
                    .invoke(holders -> holders.stream().map(Holder::method).forEach(ASYNCHRONOUS::complete))
                    .replaceWithVoid();
        }
    }
}
