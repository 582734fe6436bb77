package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.shutdown.ShutdownRecorder;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A stopping application acquires no new permits, waits for running executions, and releases all permits. */
class ShutdownTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, Caller.class))
            .overrideRuntimeConfigKey("quarkus.shutdown.timeout", "20s")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Event<ShutdownEvent> shutdownEvents;

    @Test
    void stop() throws Exception {
        RedisSemaphore reports = bulkheads.semaphore("reports");
        RedisSemaphore kept = bulkheads.semaphore("kept");
        Permit permit = kept.acquire(LONG);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Caller<String> running = Caller.of(() -> guarded.run(inside, end));
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        Caller<String> waiting = Caller.of(() -> guarded.run(inside, end));
        UniAssertSubscriber<String> waitingUni = guarded.uni().subscribe().withSubscriber(UniAssertSubscriber.create());
        Caller<Permit> waitingInCode = Caller.of(() -> reports.acquire(Duration.ofMinutes(1)));
        await().atMost(LONG).until(() -> reports.status().waiting() == 3);

        Caller<Void> shutdown = Caller.of(() -> {
            ShutdownRecorder.runShutdown();
            return null;
        });

        assertStopping(waiting.failure());
        assertStopping(waitingUni.awaitFailure(LONG).getFailure());
        assertStopping(waitingInCode.failure());
        assertThat(reports.waiters()).isEmpty();
        assertThatThrownBy(() -> guarded.run(inside, end)).satisfies(ShutdownTest::assertStopping);
        assertThatThrownBy(() -> kept.tryAcquire()).satisfies(ShutdownTest::assertStopping);
        assertThatThrownBy(() -> guarded.uni().await().atMost(LONG)).satisfies(ShutdownTest::assertStopping);

        assertThat(running.isDone()).isFalse();
        assertThat(shutdown.isDone()).as("waits for the running execution").isFalse();
        assertThat(reports.holders()).hasSize(1);
        end.countDown();
        assertThat(running.result()).isEqualTo("done");
        shutdown.result();
        assertThat(reports.holders()).isEmpty();

        assertThat(permit.isHeld()).isTrue();
        shutdownEvents.fire(new ShutdownEvent());
        assertThat(permit.isHeld()).as("a permit in code that was not released").isFalse();
        assertThat(kept.holders()).isEmpty();
        assertThat(permit.release()).isFalse();
    }

    private static void assertStopping(Throwable failure) {
        assertThat(failure).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1, maxWait = "60s")
        String run(CountDownLatch inside, CountDownLatch end) throws InterruptedException {
            inside.countDown();
            assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
            return "done";
        }

        @RedisBulkhead(name = "reports", permits = 1, maxWait = "60s")
        Uni<String> uni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "kept", permits = 5)
        void kept() {
        }
    }
}
