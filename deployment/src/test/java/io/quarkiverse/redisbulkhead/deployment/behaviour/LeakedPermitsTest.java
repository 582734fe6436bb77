package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.PermitLogger;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;

/** Permits that code drops are reported and given back; guarded methods leak none; what is held for long is reported. */
class LeakedPermitsTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    // Dropped permits come back after that: long enough to see the mark before, also while garbage is collected slowly.
    private static final Duration EXPIRE = Duration.ofSeconds(8);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class))
            // A busy machine may delay replies from Redis.
            .overrideConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.long.warn-after", "1s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.long-stage.warn-after", "1s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock.long.warn-after", "1s");

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Guarded guarded;

    private final List<RedisSemaphore> dropped = new ArrayList<>();
    private CapturedLog log;

    @BeforeEach
    void capture() {
        log = new CapturedLog(PermitLogger.class);
    }

    @AfterEach
    void awaitTheirReturn() {
        dropped.forEach(semaphore -> await().atMost(LONG).untilAsserted(() -> assertThat(semaphore.holders()).isEmpty()));
        log.close();
    }

    @Test
    void permitThatCodeDropsIsReportedAndGivenBack() {
        RedisSemaphore pages = semaphore("dropped", EXPIRE).forKey("acme");
        drop(pages);

        awaitReport("bulkhead 'dropped', key 'acme'");

        assertThat(reports()).singleElement().asString()
                .contains("thread '" + Thread.currentThread().getName() + "' acquired it")
                .containsPattern("in io\\.quarkiverse.*LeakedPermitsTest\\.drop\\(LeakedPermitsTest\\.java:\\d+\\)")
                .contains("It goes back in 8 s");
        assertThat(pages.holders()).extracting(Holder::state).containsExactly(Holder.State.LEAKED);
        assertThat(pages.tryAcquire()).isEmpty();
        await().atMost(LONG).untilAsserted(() -> assertThat(pages.holders()).isEmpty());
        assertThat(pages.tryAcquire().orElseThrow().release()).isTrue();
        assertThat(reports()).as("once").hasSize(1);
    }

    /** Neither what code keeps, nor what it has released or detached, nor what guarded methods hold. */
    @Test
    void nothingElseIsReported() {
        Permit kept = semaphore("kept").tryAcquire().orElseThrow();
        Uni<Boolean> release = semaphore("kept-by-release").acquire(Duration.ZERO).releaseAsync();
        Uni<String> detach = semaphore("kept-by-detach").acquire(Duration.ZERO).detachAsync();
        semaphore("released").tryAcquire().orElseThrow().close();
        semaphore("released").tryAcquire().orElseThrow().release();
        String token = semaphore("detached").tryAcquire().orElseThrow().detach();
        RedisSemaphore work = bulkheads.semaphore("work");
        Cancellable cancelled = guarded.never().subscribe().with(item -> {
        });
        await().atMost(LONG).untilAsserted(() -> assertThat(work.holders()).hasSize(1));
        cancelled.cancel();
        await().atMost(LONG).untilAsserted(() -> assertThat(work.holders()).isEmpty());
        CompletableFuture<String> stage = new CompletableFuture<>();
        guarded.stage(stage);

        // What is collected with it would be reported before it.
        drop(semaphore("barrier", EXPIRE));
        awaitReport("bulkhead 'barrier'");

        assertThat(reports()).hasSize(1);
        assertThat(kept.release()).isTrue();
        assertThat(release.await().atMost(LONG)).isTrue();
        assertThat(semaphore("kept-by-detach").attach(detach.await().atMost(LONG)).release()).isTrue();
        assertThat(semaphore("detached").attach(token).release()).isTrue();
        assertThat(work.holders()).extracting(Holder::state).containsExactly(Holder.State.HELD);
        assertThat(stage.complete("done")).isTrue();
        await().atMost(LONG).untilAsserted(() -> assertThat(work.holders()).isEmpty());
        assertThat(reports()).hasSize(1);
    }

    @Test
    void whatIsHeldForLongIsReportedOnce() {
        Cancellable never = guarded.longNever().subscribe().with(item -> {
        });
        // Its caller drops the stage, and no code can complete it any more.
        guarded.longStage();
        Permit lock = bulkheads.lock("long").lock();

        awaitReport("Guarded#longNever has held a permit of bulkhead 'long' for ");
        awaitReport("Guarded#longStage has held a permit of bulkhead 'long-stage' for ");
        awaitReport("LeakedPermitsTest.whatIsHeldForLongIsReportedOnce(LeakedPermitsTest.java:");
        assertThat(bulkheads.semaphore("long-stage").holders()).extracting(Holder::method, Holder::state)
                .containsExactly(tuple("Guarded#longStage", Holder.State.HELD));
        assertThat(reports()).hasSize(3).anyMatch(line -> line.contains("bulkhead 'lock:long'"));
        assertThat(lock.release()).isTrue();
        never.cancel();
        await().atMost(LONG).untilAsserted(() -> assertThat(bulkheads.semaphore("long").holders()).isEmpty());
        assertThat(reports()).hasSize(3);
        Holder stage = bulkheads.semaphore("long-stage").holders().get(0);
        assertThat(bulkheads.semaphore("long-stage").revoke(stage.permitId())).isTrue();
    }

    private RedisSemaphore semaphore(String name) {
        return semaphore(name, Duration.ofMinutes(1));
    }

    private RedisSemaphore semaphore(String name, Duration expire) {
        return bulkheads.semaphore(SemaphoreSpec.named(name).permits(1).expire(expire).build());
    }

    private void drop(RedisSemaphore semaphore) {
        dropped.add(semaphore);
        semaphore.acquire(Duration.ZERO);
    }

    // A collection takes its time on a busy machine. Meanwhile, what has been reported may go back already.
    private void awaitReport(String part) {
        Instant[] nextCollection = { Instant.MIN };
        await().atMost(LONG).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).until(() -> {
            if (Instant.now().isAfter(nextCollection[0])) {
                System.gc();
                nextCollection[0] = Instant.now().plusSeconds(1);
            }
            return reports().stream().anyMatch(line -> line.contains(part));
        });
    }

    private List<String> reports() {
        return log.texts();
    }

    @ApplicationScoped
    static class Guarded {
        @RedisBulkhead(name = "work", permits = 1)
        Uni<Void> never() {
            return Uni.createFrom().nothing();
        }

        @RedisBulkhead(name = "work", permits = 1)
        CompletionStage<String> stage(CompletableFuture<String> end) {
            return end;
        }

        @RedisBulkhead(name = "long", permits = 1)
        Uni<Void> longNever() {
            return Uni.createFrom().nothing();
        }

        @RedisBulkhead(name = "long-stage", permits = 1)
        CompletionStage<String> longStage() {
            return new CompletableFuture<>();
        }
    }
}
