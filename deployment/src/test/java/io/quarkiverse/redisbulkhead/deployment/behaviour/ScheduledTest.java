package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

class ScheduledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.SCHEDULER))
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, Jobs.class, Failures.class))
            // On a busy machine, an answer of Redis may come late.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Failures failures;

    @Test
    void scheduledMethodsHoldPermits() throws Exception {
        assertThat(Jobs.BLOCKING.get(20, TimeUnit.SECONDS)).isEqualTo("Jobs#blocking");
        assertThat(Jobs.ASYNCHRONOUS.get(20, TimeUnit.SECONDS)).isEqualTo("Jobs#asynchronous");
    }

    /** A run that gets no permit fails, which the scheduler tells in an event; the next ones are not affected. */
    @Test
    void runsWithoutPermitFail() throws Exception {
        try (Permit taken = bulkheads.semaphore("rare").acquire(Duration.ofSeconds(10))) {
            await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(failures.all)
                    .anySatisfy(failure -> {
                        assertThat(failure.getExecution().getTrigger().getId()).isEqualTo("rare");
                        assertThat(failure.getException()).hasCauseInstanceOf(BulkheadFullException.class);
                    }));
        }

        int before = Jobs.RARE_RUNS.get();
        await().atMost(20, TimeUnit.SECONDS).until(() -> Jobs.RARE_RUNS.get() > before);
        await().atMost(20, TimeUnit.SECONDS).until(() -> bulkheads.semaphore("rare").status().inUse() == 0);
    }

    @Singleton
    public static class Failures {

        final Queue<FailedExecution> all = new ConcurrentLinkedQueue<>();

        void on(@Observes FailedExecution failure) {
            all.add(failure);
        }
    }

    public static class Jobs {

        static final CompletableFuture<String> BLOCKING = new CompletableFuture<>();
        static final CompletableFuture<String> ASYNCHRONOUS = new CompletableFuture<>();
        static final AtomicInteger RARE_RUNS = new AtomicInteger();

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

        @Scheduled(identity = "rare", every = "1s")
        @RedisBulkhead(name = "rare", permits = 1)
        void rare() {
            RARE_RUNS.incrementAndGet();
        }
    }
}
