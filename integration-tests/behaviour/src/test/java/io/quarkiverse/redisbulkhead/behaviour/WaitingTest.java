package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** With {@code maxWait}, a call waits for a permit; a cancelled or interrupted waiter leaves nothing behind. */
@QuarkusTest
class WaitingTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    Permit taken;

    @BeforeEach
    void acquirePermits() {
        taken = patient().acquire(LONG);
    }

    @AfterEach
    void assertNothingIsLeft() {
        taken.release();
        for (String name : OwnBulkheads.of(WaitingTest.class)) {
            await().atMost(LONG).pollDelay(Duration.ZERO).untilAsserted(() -> {
                assertThat(bulkheads.semaphore(name).holders()).as(name).isEmpty();
                assertThat(bulkheads.semaphore(name).waiters()).as(name).isEmpty();
            });
        }
    }

    @Test
    void synchronous() throws Exception {
        Caller<String> caller = Caller.of(guarded::synchronous);
        awaitWaiters(1);
        assertThat(patient().waiters()).singleElement().satisfies(waiter -> {
            assertThat(waiter.method()).isEqualTo("Guarded#synchronous");
            assertThat(waiter.bulkhead()).isEqualTo("waiting-patient");
            assertThat(waiter.ticket()).isZero();
            assertThat(waiter.until()).isAfter(waiter.since());
        });
        assertThat(caller.isDone()).isFalse();

        taken.release();

        assertThat(caller.result()).isEqualTo("done");
    }

    @Test
    void multi() {
        AssertSubscriber<Integer> subscriber = guarded.multi().subscribe().withSubscriber(AssertSubscriber.create(2));
        awaitWaiters(1);
        subscriber.assertHasNotReceivedAnyItem();

        taken.release();

        subscriber.awaitItems(2, LONG).assertItems(1, 2).assertNotTerminated();
        assertThat(patient().holders()).as("held until it ends").hasSize(1);
        subscriber.request(1).awaitCompletion(LONG).assertItems(1, 2, 3);
    }

    @Test
    void rejectsWaitersAfterMaxWait() throws Exception {
        Permit all = bulkheads.semaphore("waiting-impatient").acquire(LONG);
        try {
            long begin = System.nanoTime();
            assertThatThrownBy(() -> guarded.impatient()).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                assertThat(e.name()).isEqualTo("waiting-impatient");
                assertThat(e.limit()).isEqualTo(1);
                assertThat(e.nearestLeaseEnd()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
            });
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(500), LONG);

            subscribe(guarded.impatientUni()).awaitFailure(LONG).assertFailedWith(BulkheadFullException.class);
            assertThatThrownBy(() -> guarded.impatientStage().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(BulkheadFullException.class);
            guarded.impatientMulti().subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure(LONG)
                    .assertFailedWith(BulkheadFullException.class);
            assertThat(bulkheads.semaphore("waiting-impatient").waiters()).isEmpty();
        } finally {
            all.release();
        }
    }

    /** Trap 9, Trap 29: an interrupted waiter is removed immediately, and the permit goes to the next one. */
    @Test
    void interruptedWhileWaiting() throws Exception {
        Caller<String> first = Caller.of(guarded::synchronous);
        awaitWaiters(1);
        Caller<String> second = Caller.of(guarded::synchronous);
        awaitWaiters(2);

        first.interrupt();

        assertThat(first.failure()).isInstanceOf(BulkheadInterruptedException.class).hasMessageContaining("interrupted");
        assertThat(first.interruptedAfterwards()).isTrue();
        awaitWaiters(1);
        taken.release();
        assertThat(second.result()).isEqualTo("done");
    }

    /** Trap 9, Trap 29. */
    @Test
    void cancelledUniWhileWaiting() {
        UniAssertSubscriber<String> first = subscribe(guarded.uni());
        awaitWaiters(1);
        UniAssertSubscriber<String> second = subscribe(guarded.uni());
        awaitWaiters(2);

        first.cancel();

        awaitWaiters(1);
        taken.release();
        second.awaitItem(LONG).assertItem("done");
        first.assertNotTerminated();
    }

    /** Trap 9, Trap 29. */
    @Test
    void cancelledStageAndMultiWhileWaiting() throws Exception {
        CompletableFuture<String> stage = guarded.stage().toCompletableFuture();
        AssertSubscriber<Integer> multi = guarded.multi().subscribe().withSubscriber(AssertSubscriber.create(1));
        awaitWaiters(2);
        Caller<String> last = Caller.of(guarded::synchronous);
        awaitWaiters(3);

        stage.cancel(false);
        multi.cancel();

        awaitWaiters(1);
        taken.release();
        assertThat(last.result()).isEqualTo("done");
    }

    /** Trap 29: the waiter is cancelled during its hand-over; the next one gets the permit. */
    @Test
    void cancelledDuringTheHandOver() throws Exception {
        RedisSemaphore queue = bulkheads.semaphore("queue");
        for (int round = 0; round < 40; round++) {
            Permit all = queue.acquire(LONG);
            UniAssertSubscriber<String> first = subscribe(guarded.queued(() -> "first"));
            await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> queue.waiters().size() == 1);
            UniAssertSubscriber<String> second = subscribe(guarded.queued(() -> "second"));
            await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> queue.waiters().size() == 2);

            Caller<Boolean> release = Caller.of(all::release);
            first.cancel();

            second.awaitItem(LONG).assertItem("second");
            assertThat(release.result()).isTrue();
        }
    }

    /** The call keeps its first permit while it waits for the second, and releases it when that wait fails. */
    @Test
    void severalBulkheads() throws Exception {
        Permit all = bulkheads.semaphore("waiting-impatient").acquire(LONG);
        // On a busy machine, a wait may end before the test sees it.
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> {
            Caller<String> both = Caller.of(guarded::both);
            boolean seen = false;
            while (!seen && !both.isDone()) {
                seen = bulkheads.semaphore("outer").status().inUse() == 1
                        && bulkheads.semaphore("waiting-impatient").status().waiting() == 1;
            }

            assertThat(both.failure()).isInstanceOf(BulkheadFullException.class);

            return seen;
        });
        assertThat(bulkheads.semaphore("outer").holders()).isEmpty();
        all.release();
        assertThat(guarded.both()).isEqualTo("done");
    }

    /** The wait may time out before the first reply. */
    @Test
    void rejectionNamesTheLimitAfterAnyWait() {
        RedisSemaphore wide = bulkheads.semaphore("waiting-wide");
        List<Permit> all = IntStream.range(0, 3).mapToObj(i -> wide.acquire(LONG)).toList();
        try {
            for (int i = 0; i < 30; i++) {
                assertThatThrownBy(() -> wide.acquire(Duration.ofMillis(1)))
                        .isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                            assertThat(e.limit()).isEqualTo(3);
                            assertThat(e.nearestLeaseEnd()).isPositive();
                        });
            }
        } finally {
            all.forEach(Permit::release);
        }
    }

    private RedisSemaphore patient() {
        return bulkheads.semaphore("waiting-patient");
    }

    private void awaitWaiters(int number) {
        await().atMost(LONG).pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(patient().waiters()).hasSize(number));
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "waiting-patient", permits = 1, maxWait = "30s")
        String synchronous() {
            return "done";
        }

        @RedisBulkhead(name = "waiting-patient", permits = 1, maxWait = "30s")
        Uni<String> uni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "waiting-patient", permits = 1, maxWait = "30s")
        CompletionStage<String> stage() {
            return CompletableFuture.completedStage("done");
        }

        @RedisBulkhead(name = "waiting-patient", permits = 1, maxWait = "30s")
        Multi<Integer> multi() {
            return Multi.createFrom().items(1, 2, 3);
        }

        @RedisBulkhead(name = "waiting-impatient", permits = 1, maxWait = "500ms")
        String impatient() {
            return "done";
        }

        @RedisBulkhead(name = "waiting-impatient", permits = 1, maxWait = "500ms")
        Uni<String> impatientUni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "waiting-impatient", permits = 1, maxWait = "500ms")
        CompletionStage<String> impatientStage() {
            return CompletableFuture.completedStage("done");
        }

        @RedisBulkhead(name = "waiting-impatient", permits = 1, maxWait = "500ms")
        Multi<String> impatientMulti() {
            return Multi.createFrom().item("done");
        }

        @RedisBulkhead(name = "queue", permits = 1, fair = true, maxWait = "30s")
        Uni<String> queued(Callable<String> body) {
            try {
                return Uni.createFrom().item(body.call());
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        }

        @RedisBulkhead(name = "waiting-wide", permits = 3)
        void wide() {
        }

        @RedisBulkhead(name = "outer", permits = 1)
        @RedisBulkhead(name = "waiting-impatient", permits = 1, maxWait = "500ms")
        String both() {
            return "done";
        }
    }
}
