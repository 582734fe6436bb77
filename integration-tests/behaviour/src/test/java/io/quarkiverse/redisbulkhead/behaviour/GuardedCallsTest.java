package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** With each return type, a call acquires a permit, holds it until its end and releases it. */
@QuarkusTest
class GuardedCallsTest {

    @Inject
    Reports reports;

    @Inject
    RedisBulkheads bulkheads;

    @AfterEach
    void assertNothingIsLeft() {
        OwnBulkheads.of(GuardedCallsTest.class).forEach(name -> await().atMost(20, TimeUnit.SECONDS).pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(bulkheads.semaphore(name).status().inUse()).as(name).isZero()));
    }

    @Test
    void synchronous() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> running = CompletableFuture.supplyAsync(() -> reports.blocking(end));
        awaitHolder("blocking", "Reports#blocking");

        assertThatThrownBy(() -> reports.blocking(end)).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
            assertThat(e.name()).isEqualTo("blocking");
            assertThat(e.limit()).isEqualTo(1);
            assertThat(e.nearestLeaseEnd()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
        });
        end.countDown();

        assertThat(running.get(10, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(inUse("blocking")).as("when the call has returned").isZero();
        assertThat(reports.blocking(end)).isEqualTo("done");
    }

    @Test
    void propagatesExceptionsUnchanged() {
        assertThatThrownBy(() -> reports.failing()).isInstanceOf(IOException.class).hasMessage("own");
        assertThat(inUse("calls-failing")).isZero();
    }

    @Test
    void uni() {
        CompletableFuture<String> work = new CompletableFuture<>();
        UniAssertSubscriber<String> first = subscribe(reports.uni(work));
        awaitHolder("uni", "Reports#uni");

        assertThat(subscribe(reports.uni(work)).awaitFailure().getFailure()).isInstanceOf(BulkheadFullException.class);
        work.complete("done");

        first.awaitItem().assertItem("done");
        assertThat(inUse("uni")).isZero();
    }

    @Test
    void cancelledUni() {
        UniAssertSubscriber<String> first = subscribe(reports.uni(new CompletableFuture<>()));
        awaitHolder("uni", "Reports#uni");

        first.cancel();

        await().atMost(20, TimeUnit.SECONDS).until(() -> inUse("uni") == 0);
    }

    @Test
    void stage() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> first = reports.stage(work);
        awaitHolder("stage", "Reports#stage");

        assertThatThrownBy(() -> reports.stage(work).toCompletableFuture().get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(BulkheadFullException.class);
        work.complete("done");

        assertThat(first.toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(inUse("stage")).isZero();
    }

    @Test
    void multi() {
        AssertSubscriber<Integer> first = reports.multi().subscribe().withSubscriber(AssertSubscriber.create(1));
        first.awaitItems(1);
        awaitHolder("multi", "Reports#multi");

        reports.multi().subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure()
                .assertFailedWith(BulkheadFullException.class);
        first.request(10).awaitCompletion().assertItems(1, 2, 3);

        assertThat(inUse("multi")).isZero();
    }

    /**
     * Trap 17: each call acquires a permit; a nested call of the same bulkhead is rejected, through the proxy or through
     * {@code this}.
     */
    @Test
    void rejectsANestedCallImmediately() {
        assertThatThrownBy(() -> reports.nested()).isInstanceOf(BulkheadFullException.class);
        assertThatThrownBy(() -> reports.selfInvoked()).isInstanceOf(BulkheadFullException.class);
    }

    /** Trap 17: waiting is pointless, because the enclosing calls end later. */
    @Test
    @Timeout(60)
    void rejectsANestedCallThatWouldWaitForItself() {
        assertThatThrownBy(() -> reports.patient(3)).isInstanceOf(BulkheadFullException.class)
                .hasMessage("A call of bulkhead 'calls-patient' would wait for itself: it needs 1 of the 2 permits, and the"
                        + " guarded calls around it hold 2. Call it outside of them, use a bulkhead of another name, or raise"
                        + " the limit to 3");
        assertThat(reports.patient(2)).isEqualTo("innermost");
        assertThatThrownBy(() -> reports.patientInCode()).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("it needs 2 of the 2 permits").hasMessageContaining("hold 1");
        assertThat(bulkheads.semaphore("calls-patient").waiters()).isEmpty();
    }

    /** Trap 17: only a call that blocks its enclosing calls certainly ends before them. */
    @Test
    @Timeout(60)
    void asynchronousCallMayOutliveTheCallAroundIt() {
        List<CompletableFuture<String>> begun = new ArrayList<>();
        reports.beginning(begun).await().indefinitely();
        assertThat(begun.get(0).join()).isEqualTo("begun");
        assertThat(inUse("calls-begun")).isZero();
    }

    /** Trap 17: the current limit counts. */
    @Test
    @Timeout(60)
    void operatorCanAdmitANestedCall() {
        bulkheads.semaphore("calls-patient").resize(3);
        try {
            assertThat(reports.patient(3)).isEqualTo("innermost");
        } finally {
            bulkheads.semaphore("calls-patient").resetSize();
        }
    }

    /** Trap 17: the lock is not reentrant. */
    @Test
    @Timeout(60)
    void rejectsANestedLockImmediately() {
        RedisLock lock = bulkheads.lock(LockSpec.named("calls-lock").acquireTimeout(Duration.ofHours(1)).build());
        assertThatThrownBy(() -> lock.run(() -> lock.run(() -> {
        }))).isInstanceOf(LockNotAcquiredException.class)
                .hasMessageStartingWith("Lock 'calls-lock' is held by a call around this one");
    }

    /** Trap 18: the second is full; the first is released before the caller sees the rejection. */
    @Test
    void severalBulkheads() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> running = CompletableFuture.supplyAsync(() -> reports.narrow(end));
        awaitHolder("calls-narrow", "Reports#narrow");

        assertThatThrownBy(() -> reports.both()).isInstanceOfSatisfying(BulkheadFullException.class,
                e -> assertThat(e.name()).isEqualTo("calls-narrow"));
        assertThat(inUse("calls-wide")).isZero();
        end.countDown();
        running.get(10, TimeUnit.SECONDS);

        assertThat(reports.both()).isEqualTo("wide 1, narrow 1");
        assertThat(inUse("calls-wide")).isZero();
    }

    @Test
    void classLevelAndInherited() {
        assertThat(reports.inherited()).containsExactly("Reports#inherited");
        assertThat(reports.plain()).containsExactly("Reports#plain");
    }

    @Test
    void configurationOverridesTheAnnotation() {
        assertThat(bulkheads.semaphore("configured").spec().permits()).isEqualTo(2);
    }

    @Test
    void disabledBulkheadAdmitsAllCalls() {
        assertThat(reports.off(3)).isZero();
    }

    @Test
    void unknownNameFailsWithSuggestions() {
        assertThatThrownBy(() -> bulkheads.semaphore("report")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'report'").hasMessageContaining("blocking");
    }

    private void awaitHolder(String bulkhead, String method) {
        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(bulkheads.semaphore(bulkhead).holders()).singleElement()
                        .satisfies(holder -> {
                            assertThat(holder.method()).isEqualTo(method);
                            assertThat(holder.instance()).endsWith(":" + ProcessHandle.current().pid());
                            assertThat(holder.until()).isAfter(holder.since());
                        }));
    }

    private int inUse(String name) {
        return bulkheads.semaphore(name).status().inUse();
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    public static class Parent {

        @Inject
        RedisBulkheads bulkheads;

        @RedisBulkhead(name = "inherited", permits = 1)
        public List<String> inherited() {
            return holders(bulkheads, "inherited");
        }

        static List<String> holders(RedisBulkheads bulkheads, String name) {
            return bulkheads.semaphore(name).holders().stream().map(Holder::method).toList();
        }
    }

    @ApplicationScoped
    @RedisBulkhead(name = "calls-class", permits = 100)
    public static class Reports extends Parent {

        @Inject
        Reports self;

        @RedisBulkhead(name = "blocking", permits = 1)
        String blocking(CountDownLatch end) {
            return await(end);
        }

        private static String await(CountDownLatch end) {
            try {
                end.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "done";
        }

        @RedisBulkhead(name = "calls-failing", permits = 1)
        void failing() throws IOException {
            throw new IOException("own");
        }

        @RedisBulkhead(name = "uni", permits = 1)
        Uni<String> uni(CompletableFuture<String> work) {
            return Uni.createFrom().completionStage(work);
        }

        @RedisBulkhead(name = "stage", permits = 1)
        CompletionStage<String> stage(CompletableFuture<String> work) {
            return work;
        }

        @RedisBulkhead(name = "multi", permits = 1)
        Multi<Integer> multi() {
            return Multi.createFrom().items(1, 2, 3);
        }

        @RedisBulkhead(name = "nested", permits = 1)
        void nested() {
            self.nested();
        }

        @RedisBulkhead(name = "nested", permits = 1)
        void selfInvoked() {
            selfInvoked();
        }

        @RedisBulkhead(name = "calls-patient", permits = 2, maxWait = "1h")
        String patient(int depth) {
            return depth == 1 ? "innermost" : self.patient(depth - 1);
        }

        @RedisBulkhead(name = "calls-patient", permits = 2, maxWait = "1h")
        void patientInCode() {
            bulkheads.semaphore("calls-patient").acquire(2, Duration.ofHours(1));
        }

        @RedisBulkhead(name = "calls-begun", permits = 1, maxWait = "1h")
        Uni<Void> beginning(List<CompletableFuture<String>> begun) {
            begun.add(self.begun().subscribeAsCompletionStage());
            return Uni.createFrom().voidItem();
        }

        @RedisBulkhead(name = "calls-begun", permits = 1, maxWait = "1h")
        Uni<String> begun() {
            return Uni.createFrom().item("begun");
        }

        @RedisBulkhead(name = "calls-wide", permits = 5)
        @RedisBulkhead(name = "calls-narrow", permits = 1)
        String both() {
            return "wide " + holders(bulkheads, "calls-wide").size() + ", narrow " + holders(bulkheads, "calls-narrow").size();
        }

        @RedisBulkhead(name = "calls-narrow", permits = 1)
        String narrow(CountDownLatch end) {
            return await(end);
        }

        @RedisBulkhead(name = "configured")
        void configured() {
        }

        @RedisBulkhead(name = "calls-off", permits = 1)
        int off(int depth) {
            return depth == 0 ? bulkheads.semaphore("calls-off").status().inUse() : self.off(depth - 1);
        }

        List<String> plain() {
            return holders(bulkheads, "calls-class");
        }
    }
}
