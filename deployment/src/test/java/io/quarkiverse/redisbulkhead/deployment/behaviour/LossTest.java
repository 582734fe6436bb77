package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.vertx.core.Context;

/** The loss of a permit during an execution is reported, and ends the execution with {@code on-lost=interrupt}. */
class LossTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    // Long enough for renewals on a busy machine. The shortest lease is three times the command timeout.
    private static final String LEASE = "6s";
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    // Renewals after two, four and six seconds would extend the lease far beyond it.
    private static final Duration MAX_HOLD = Duration.ofMillis(6_500);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, Losses.class, Caller.class))
            .overrideConfigKey("quarkus.redis-bulkhead.command-timeout", COMMAND_TIMEOUT.toMillis() + "ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"strict\".on-lost", "interrupt")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"bounded\".max-hold", MAX_HOLD.toMillis() + "ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"short\".max-hold", "500ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"short\".on-lost", "interrupt");

    @Inject
    Guarded guarded;

    @Inject
    Losses losses;

    @Inject
    RedisBulkheads bulkheads;

    @BeforeEach
    void forget() {
        losses.clear();
    }

    @AfterEach
    void assertNothingIsLeft() {
        bulkheads.names().forEach(name -> await().atMost(LONG).pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(bulkheads.semaphore(name).holders()).as(name).isEmpty()));
    }

    /** Trap 16: the loss is reported, and the caller still gets the method's own result. */
    @Test
    void reportsTheLossAndContinuesTheExecution() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Permit> own = new CompletableFuture<>();
        Caller<String> caller = Caller.of(() -> guarded.lenient(own, end::await, "done"));
        Permit permit = own.get(30, TimeUnit.SECONDS);
        assertThat(permit.isHeld()).isTrue();

        Holder revoked = revoke("lenient");

        PermitLost loss = losses.awaitOne();
        assertThat(loss.bulkhead()).isEqualTo("lenient");
        assertThat(loss.method()).isEqualTo("Guarded#lenient");
        assertThat(loss.permitId()).isEqualTo(revoked.permitId()).isEqualTo(permit.id());
        assertThat(loss.fencingToken()).isEqualTo(revoked.ticket()).isEqualTo(permit.fencingToken());
        assertThat(loss.reason()).isIn(Reason.REVOKED, Reason.GONE);
        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.refresh()).isFalse();
        assertThat(permit.release()).isFalse();
        assertThat(caller.isDone()).isFalse();

        end.countDown();
        assertThat(caller.result()).isEqualTo("done");
        assertThat(losses.synchronous()).as("reported once").hasSize(1);
        assertThat(losses.asynchronous()).hasSize(1);
    }

    @Test
    void interruptsABlockingMethod() throws Exception {
        Caller<String> caller = Caller.of(() -> guarded.strict(() -> {
            new CountDownLatch(1).await();
            return "never";
        }));
        revoke("strict");

        assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
        assertThat(caller.interruptedAfterwards()).isFalse();
        losses.awaitOne();
    }

    /** Trap 16: a method that ignores the interrupt returns its result, and its thread continues uninterrupted. */
    @Test
    void interruptDoesNotLeak() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        Caller<String> caller = Caller.of(() -> guarded.strict(() -> {
            while (!end.get() || !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            return "done";
        }));
        revoke("strict");
        losses.awaitOne();
        end.set(true);

        assertThat(caller.result()).isEqualTo("done");
        assertThat(caller.interruptedAfterwards()).isFalse();
    }

    @Test
    void failsTheUniAndCancelsItsSource() {
        CountDownLatch cancelled = new CountDownLatch(1);
        UniAssertSubscriber<String> subscriber = guarded
                .strictUni(Uni.createFrom().<String> nothing().onCancellation().invoke(cancelled::countDown))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        Holder revoked = revoke("strict");

        subscriber.awaitFailure(LONG).assertFailedWith(PermitLostException.class, "Guarded#strictUni");
        assertThat(((PermitLostException) subscriber.getFailure()).loss()).satisfies(loss -> {
            assertThat(loss.permitId()).isEqualTo(revoked.permitId());
            assertThat(loss.bulkhead()).isEqualTo("strict");
        });
        assertThat(cancelled.getCount()).as("the source is cancelled").isZero();
        losses.awaitOne();
    }

    @Test
    void failsTheStageAndCancelsItsSource() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = guarded.strictStage(work).toCompletableFuture();
        revoke("strict");

        try {
            result.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(PermitLostException.class);
        }
        assertThat(result).isCompletedExceptionally();
        assertThat(work).isCancelled();
        losses.awaitOne();
    }

    @Test
    void failsTheMultiAndCancelsItsSource() {
        CountDownLatch cancelled = new CountDownLatch(1);
        AssertSubscriber<Long> subscriber = guarded
                .strictMulti(Multi.createFrom().ticks().every(Duration.ofMillis(10)).onOverflow().drop()
                        .onCancellation().invoke(cancelled::countDown))
                .subscribe().withSubscriber(AssertSubscriber.create(2));
        subscriber.awaitItems(2, LONG);
        revoke("strict");

        subscriber.awaitFailure(LONG).assertFailedWith(PermitLostException.class, "Guarded#strictMulti");
        assertThat(subscriber.getItems()).as("no more than requested").hasSize(2);
        assertThat(cancelled.getCount()).as("the source is cancelled").isZero();
        losses.awaitOne();
    }

    @Test
    void maxHoldStopsRenewals() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Caller<String> caller = Caller.of(() -> guarded.bounded(end));
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> bulkheads.semaphore("bounded").holders().size() == 1);
        Holder atFirst = bulkheads.semaphore("bounded").holders().get(0);
        AtomicReference<Instant> lastEnd = new AtomicReference<>(atFirst.until());
        await().atMost(LONG).until(() -> {
            bulkheads.semaphore("bounded").holders().forEach(holder -> lastEnd.set(holder.until()));
            return !losses.synchronous().isEmpty();
        });

        PermitLost loss = losses.awaitOne();

        assertThat(loss.reason()).isEqualTo(Reason.MAX_HOLD);
        assertThat(loss.method()).isEqualTo("Guarded#bounded");
        // A renewal takes no longer than the command timeout.
        assertThat(lastEnd.get()).as("renewed, but not beyond max-hold").isAfter(atFirst.until())
                .isBefore(atFirst.since().plus(MAX_HOLD).plus(COMMAND_TIMEOUT));
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> bulkheads.semaphore("bounded").holders().isEmpty());
        end.countDown();
        assertThat(caller.result()).isEqualTo("done");
    }

    @Test
    void maxHoldMayBeShorterThanTheLease() throws Exception {
        Caller<String> caller = Caller.of(() -> guarded.brief());

        assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
        assertThat(losses.awaitOne().reason()).isEqualTo(Reason.MAX_HOLD);
    }

    /** Two renewals extend the lease beyond its original end; a single one could be the last. */
    @Test
    void renewsThePermitWhileTheExecutionRuns() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Permit> own = new CompletableFuture<>();
        Caller<String> caller = Caller.of(() -> guarded.renewed(own, end::await, "done"));
        Permit permit = own.get(30, TimeUnit.SECONDS);
        Holder atFirst = bulkheads.semaphore("renewed").holders().get(0);

        await().atMost(LONG).until(() -> bulkheads.semaphore("renewed").holders().stream()
                .anyMatch(holder -> holder.until().isAfter(atFirst.until().plusMillis(2_500))));

        assertThat(permit.isHeld()).isTrue();
        end.countDown();
        assertThat(caller.result()).isEqualTo("done");
        assertThat(losses.synchronous()).isEmpty();
    }

    private Holder revoke(String bulkhead) {
        RedisSemaphore semaphore = bulkheads.semaphore(bulkhead);
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> semaphore.holders().size() == 1);
        Holder holder = semaphore.holders().get(0);
        assertThat(semaphore.revoke(holder.permitId())).isTrue();
        return holder;
    }

    /** Runs before the method returns. */
    interface Step {
        void run() throws Exception;
    }

    @ApplicationScoped
    public static class Losses {

        private final List<PermitLost> synchronous = new CopyOnWriteArrayList<>();
        private final List<PermitLost> asynchronous = new CopyOnWriteArrayList<>();

        void observe(@Observes PermitLost loss) {
            if (!Context.isOnEventLoopThread()) {
                synchronous.add(loss);
            }
        }

        void observeLater(@ObservesAsync PermitLost loss) {
            asynchronous.add(loss);
        }

        void clear() {
            synchronous.clear();
            asynchronous.clear();
        }

        List<PermitLost> synchronous() {
            return synchronous;
        }

        List<PermitLost> asynchronous() {
            return asynchronous;
        }

        /** Both kinds of observers received the same events. */
        PermitLost awaitOne() {
            await().atMost(LONG).pollDelay(Duration.ZERO)
                    .until(() -> synchronous.size() == 1 && asynchronous.equals(synchronous));
            return synchronous.get(0);
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @Inject
        CurrentPermit permit;

        @RedisBulkhead(name = "renewed", permits = 1, expire = LEASE)
        String renewed(CompletableFuture<Permit> own, Step step, String result) throws Exception {
            return run(own, step, result, permit.get());
        }

        @RedisBulkhead(name = "lenient", permits = 1, expire = "30s")
        String lenient(CompletableFuture<Permit> own, Step step, String result) throws Exception {
            return run(own, step, result, permit.get());
        }

        private static String run(CompletableFuture<Permit> own, Step step, String result, Permit permit)
                throws Exception {
            own.complete(permit);
            step.run();
            return result;
        }

        @RedisBulkhead(name = "strict", permits = 1, expire = "30s")
        String strict(Callable<String> body) throws Exception {
            return body.call();
        }

        @RedisBulkhead(name = "strict", permits = 1, expire = "30s")
        Uni<String> strictUni(Uni<String> work) {
            return work;
        }

        @RedisBulkhead(name = "strict", permits = 1, expire = "30s")
        CompletionStage<String> strictStage(CompletableFuture<String> work) {
            return work;
        }

        @RedisBulkhead(name = "strict", permits = 1, expire = "30s")
        Multi<Long> strictMulti(Multi<Long> work) {
            return work;
        }

        @RedisBulkhead(name = "bounded", permits = 1, expire = LEASE)
        String bounded(CountDownLatch end) throws InterruptedException {
            end.await();
            return "done";
        }

        @RedisBulkhead(name = "short", permits = 1, expire = "30s")
        String brief() throws InterruptedException {
            assertThat(new CountDownLatch(1).await(30, TimeUnit.SECONDS)).as("interrupted before").isTrue();
            return "never";
        }
    }
}
