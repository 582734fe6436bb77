package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** With each return type, a call acquires a permit, holds it until its end and releases it. */
@QuarkusTest
class GuardedCallsTest extends BehaviourTestBase {

    @Inject
    Reports reports;

    private static final int CALLERS = 500;
    private static final ExecutorService THREADS = Executors.newCachedThreadPool();

    enum Kind {
        BLOCKING((reports, work) -> CompletableFuture.supplyAsync(() -> reports.blocking(work), THREADS)),
        UNI((reports, work) -> reports.uni(work).subscribeAsCompletionStage()),
        STAGE((reports, work) -> reports.stage(work).toCompletableFuture()),
        MULTI((reports, work) -> reports.multi(work).collect().last().subscribeAsCompletionStage());

        private final BiFunction<Reports, CompletableFuture<String>, CompletableFuture<String>> call;

        Kind(BiFunction<Reports, CompletableFuture<String>, CompletableFuture<String>> call) {
            this.call = call;
        }
    }

    @ParameterizedTest
    @EnumSource
    void holdsItsPermitUntilItsEnd(Kind kind) throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> running = kind.call.apply(reports, work);
        eventually(() -> assertThat(bulkheads.semaphore("calls").holders()).singleElement().satisfies(holder -> {
            assertThat(holder.method()).isEqualTo("Reports#" + kind.name().toLowerCase(Locale.ROOT));
            assertThat(holder.instance()).endsWith(":" + ProcessHandle.current().pid());
            assertThat(holder.until()).isAfter(holder.since());
        }));

        assertThatThrownBy(() -> kind.call.apply(reports, work).get(20, TimeUnit.SECONDS)).cause()
                .isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                    assertThat(e.name()).isEqualTo("calls");
                    assertThat(e.limit()).isEqualTo(1);
                    assertThat(e.nearestLeaseEnd()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
                });
        work.complete("done");

        assertThat(running.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(inUse("calls")).as("when the call has returned").isZero();
    }

    /** The execution lasts until all other callers are rejected. No other outcome is allowed, such as an exhausted pool. */
    @ParameterizedTest
    @EnumSource
    void oneOfManyCallersGetsThePermit(Kind kind) throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        AtomicInteger rejections = new AtomicInteger();
        List<CompletableFuture<String>> calls = Stream.generate(() -> kind.call.apply(reports, work)).limit(CALLERS).toList();
        calls.forEach(call -> call.exceptionally(failure -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof BulkheadFullException && rejections.incrementAndGet() == CALLERS - 1) {
                work.complete("done");
            }
            return null;
        }));

        assertThat(work.get(60, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(calls).filteredOn(call -> !call.isCompletedExceptionally()).singleElement()
                .satisfies(call -> assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("done"));
    }

    @Test
    void propagatesExceptionsUnchanged() {
        assertThatThrownBy(() -> reports.failing()).isInstanceOf(IOException.class).hasMessage("own");
        assertThat(inUse("calls-failing")).isZero();
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

    @ApplicationScoped
    public static class Reports {

        @Inject
        RedisBulkheads bulkheads;

        @Inject
        Reports self;

        @RedisBulkhead(name = "calls", permits = 1)
        String blocking(CompletableFuture<String> work) {
            return work.join();
        }

        @RedisBulkhead(name = "calls", permits = 1)
        Uni<String> uni(CompletableFuture<String> work) {
            return Uni.createFrom().completionStage(work);
        }

        @RedisBulkhead(name = "calls", permits = 1)
        CompletionStage<String> stage(CompletableFuture<String> work) {
            return work;
        }

        @RedisBulkhead(name = "calls", permits = 1)
        Multi<String> multi(CompletableFuture<String> work) {
            return Uni.createFrom().completionStage(work).toMulti();
        }

        @RedisBulkhead(name = "calls-failing", permits = 1)
        void failing() throws IOException {
            throw new IOException("own");
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
    }
}
