package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

/** With {@code maxWait}, a call waits for a permit. {@code CancellationTest} has the calls that are cancelled meanwhile. */
@QuarkusTest
class WaitingTest extends BehaviourTestBase {

    private static final String PATIENT = "waiting-patient";
    private static final String IMPATIENT = "waiting-impatient";

    @Inject
    Guarded guarded;

    @Test
    void synchronous() throws Exception {
        Permit taken = take(PATIENT);
        Caller<String> caller = Caller.of(guarded::synchronous);
        awaitWaiters(PATIENT, 1);
        assertThat(bulkheads.semaphore(PATIENT).waiters()).singleElement().satisfies(waiter -> {
            assertThat(waiter.method()).isEqualTo("Guarded#synchronous");
            assertThat(waiter.bulkhead()).isEqualTo(PATIENT);
            assertThat(waiter.ticket()).isZero();
            assertThat(waiter.until()).isAfter(waiter.since());
        });
        assertThat(caller.isDone()).isFalse();

        taken.release();

        assertThat(caller.result()).isEqualTo("done");
    }

    @Test
    void multi() {
        Permit taken = take(PATIENT);
        AssertSubscriber<Integer> subscriber = guarded.multi().subscribe().withSubscriber(AssertSubscriber.create(2));
        awaitWaiters(PATIENT, 1);
        subscriber.assertHasNotReceivedAnyItem();

        taken.release();

        subscriber.awaitItems(2, LONG).assertItems(1, 2).assertNotTerminated();
        assertThat(holders(PATIENT)).as("held until it ends").hasSize(1);
        subscriber.request(1).awaitCompletion(LONG).assertItems(1, 2, 3);
    }

    @Test
    void rejectsWaitersAfterMaxWait() {
        try (Permit taken = take(IMPATIENT)) {
            long begin = System.nanoTime();
            assertThatThrownBy(() -> guarded.impatient()).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                assertThat(e.name()).isEqualTo(IMPATIENT);
                assertThat(e.limit()).isEqualTo(1);
                assertThat(e.nearestLeaseEnd()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
                assertThat(e.getStackTrace()).as("stack of the caller")
                        .anyMatch(frame -> frame.getMethodName().contains("rejectsWaitersAfterMaxWait"));
            });
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(500), LONG);

            subscribe(guarded.impatientUni()).awaitFailure(LONG).assertFailedWith(BulkheadFullException.class);
            assertThat(bulkheads.semaphore(IMPATIENT).waiters()).isEmpty();
        }
    }

    @Test
    void eachMethodWaitsAsItsAnnotationStates() throws Exception {
        RedisSemaphore waits = bulkheads.semaphore("waits");
        assertThat(waits.spec().permits()).as("stated by one of three annotations").isEqualTo(1);
        assertThat(waits.spec().maxWait()).as("of those that state none").isZero();
        Permit taken = waits.acquire(LONG);
        Caller<String> batch = Caller.of(guarded::batch);
        awaitWaiters("waits", 1);

        assertThatThrownBy(guarded::interactive).isInstanceOf(BulkheadFullException.class);
        assertThatThrownBy(guarded::immediate).isInstanceOf(BulkheadFullException.class);
        assertThat(batch.isDone()).isFalse();

        taken.release();
        assertThat(batch.result()).isEqualTo("done");
    }

    /** Trap 9, Trap 29: an interrupted waiter is removed immediately, and the permit goes to the next one. */
    @Test
    void interruptedWhileWaiting() throws Exception {
        Permit taken = take(PATIENT);
        Caller<String> first = Caller.of(guarded::synchronous);
        awaitWaiters(PATIENT, 1);
        Caller<String> second = Caller.of(guarded::synchronous);
        awaitWaiters(PATIENT, 2);

        first.interrupt();

        assertThat(first.failure()).isInstanceOf(BulkheadInterruptedException.class).hasMessageContaining("interrupted");
        assertThat(first.interruptedAfterwards()).isTrue();
        awaitWaiters(PATIENT, 1);
        taken.release();
        assertThat(second.result()).isEqualTo("done");
    }

    /** The call keeps its first permit while it waits for the second, and releases it when that wait fails. */
    @Test
    void severalBulkheads() {
        try (Permit taken = take(IMPATIENT)) {
            // On a busy machine, a wait may end before the test sees it.
            await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> {
                Caller<String> both = Caller.of(guarded::both);
                boolean seen = false;
                while (!seen && !both.isDone()) {
                    seen = inUse("outer") == 1 && bulkheads.semaphore(IMPATIENT).status().waiting() == 1;
                }
                assertThat(both.failure()).isInstanceOf(BulkheadFullException.class);
                return seen;
            });
            assertThat(holders("outer")).isEmpty();
        }
        assertThat(guarded.both()).isEqualTo("done");
    }

    /** The wait may time out before the first reply. */
    @Test
    void rejectionNamesTheLimitAfterAnyWait() {
        RedisSemaphore wide = bulkheads.semaphore("waiting-wide");
        List<Permit> all = Stream.generate(() -> wide.acquire(LONG)).limit(3).toList();
        for (int i = 0; i < 30; i++) {
            assertThatThrownBy(() -> wide.acquire(Duration.ofMillis(1)))
                    .isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                        assertThat(e.limit()).isEqualTo(3);
                        assertThat(e.nearestLeaseEnd()).isPositive();
                    });
        }
        all.forEach(Permit::release);
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = PATIENT, permits = 1, maxWait = "30s")
        String synchronous() {
            return "done";
        }

        @RedisBulkhead(name = PATIENT, permits = 1, maxWait = "30s")
        Multi<Integer> multi() {
            return Multi.createFrom().items(1, 2, 3);
        }

        @RedisBulkhead(name = IMPATIENT, permits = 1, maxWait = "500ms")
        String impatient() {
            return "done";
        }

        @RedisBulkhead(name = IMPATIENT, permits = 1, maxWait = "500ms")
        Uni<String> impatientUni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "waits", maxWait = "50ms")
        String interactive() {
            return "done";
        }

        @RedisBulkhead(name = "waits", maxWait = "30s")
        String batch() {
            return "done";
        }

        @RedisBulkhead(name = "waits", permits = 1)
        String immediate() {
            return "done";
        }

        @RedisBulkhead(name = "waiting-wide", permits = 3)
        void wide() {
        }

        @RedisBulkhead(name = "outer", permits = 1)
        @RedisBulkhead(name = IMPATIENT, permits = 1, maxWait = "500ms")
        String both() {
            return "done";
        }
    }
}
