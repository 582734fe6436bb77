package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** {@code store=lock}, with a Redis user that may run no scripts. */
class LockStoreTest {

    static final KillableRedis REDIS = new KillableRedis("lock-store-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Reports.class, KillableRedis.class))
            .setBeforeAllCustomizer(() -> {
                REDIS.start();
                REDIS.send("ACL SETUSER scriptless on >secret ~* &* +@all -eval -evalsha -script");
            })
            .overrideConfigKey("quarkus.redis.hosts",
                    "redis://scriptless:secret@" + REDIS.address().substring("redis://".length()))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "lock")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.contention-timeout", "30s");

    @Inject
    Reports reports;

    @Inject
    RedisBulkheads bulkheads;

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    @Test
    void enforcesTheLimitForWaitingThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(32);
        try {
            List<CompletableFuture<Void>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(CompletableFuture.runAsync(reports::render, threads));
                calls.add(reports.renderLater().subscribeAsCompletionStage());
            }
            for (CompletableFuture<Void> call : calls) {
                call.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }

        assertThat(reports.most()).isBetween(1, 3);
        RedisSemaphore semaphore = bulkheads.semaphore("reports");
        await().atMost(Duration.ofSeconds(20)).until(() -> semaphore.status().inUse() == 0);
        assertThat(semaphore.waiters()).isEmpty();
    }

    @Test
    void rejectsWhenFullAndListsHolders() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Void> running = CompletableFuture.runAsync(() -> reports.exportAll(entered, end));
        assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();

        assertThatThrownBy(() -> reports.exportAll(entered, end)).isInstanceOf(BulkheadFullException.class);
        assertThat(bulkheads.semaphore("exports").holders()).singleElement()
                .satisfies(holder -> assertThat(holder.method()).isEqualTo("Reports#exportAll"));

        end.countDown();
        running.get(10, TimeUnit.SECONDS);
    }

    @Test
    void lockHasOneOwnerAtATime() throws Exception {
        RedisLock lock = bulkheads.lock(LockSpec.named("exclusive").acquireTimeout(Duration.ofMinutes(1)).build());
        List<Long> tokens = new ArrayList<>();
        AtomicInteger owners = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<Void>> turns = Stream.generate(() -> CompletableFuture.runAsync(() -> {
                try (Permit owned = lock.lock()) {
                    assertThat(owners.incrementAndGet()).isEqualTo(1);
                    tokens.add(owned.fencingToken());
                    owners.decrementAndGet();
                }
            }, threads)).limit(100).toList();
            for (CompletableFuture<Void> turn : turns) {
                turn.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }
        assertThat(tokens).hasSize(100).isSorted().doesNotHaveDuplicates();
        assertThat(lock.owner()).isEmpty();
    }

    @ApplicationScoped
    public static class Reports {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @RedisBulkhead(name = "reports", permits = 3, maxWait = "1m", fair = true)
        void render() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            inside.decrementAndGet();
        }

        @RedisBulkhead(name = "reports", permits = 3, maxWait = "1m", fair = true)
        Uni<Void> renderLater() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            inside.decrementAndGet();
            return Uni.createFrom().voidItem();
        }

        int most() {
            return most.get();
        }

        @RedisBulkhead(name = "exports", permits = 1)
        void exportAll(CountDownLatch entered, CountDownLatch end) {
            entered.countDown();
            try {
                assertThat(end.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
