package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.security.DenyAll;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.InterceptionType;
import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Bulkhead;
import org.eclipse.microprofile.faulttolerance.CircuitBreaker;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.eclipse.microprofile.faulttolerance.exceptions.CircuitBreakerOpenException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.opentelemetry.instrumentation.annotations.WithSpan;
import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.behaviour.FaultToleranceProbe.Asks;
import io.quarkiverse.redisbulkhead.behaviour.FaultToleranceProbe.Pause;
import io.quarkiverse.redisbulkhead.behaviour.FaultToleranceProbe.WithPermit;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcUndeclaredThrowableException;
import io.quarkus.arc.ManagedContext;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.faulttolerance.FaultToleranceBinding;
import io.smallrye.faulttolerance.api.BeforeRetry;
import io.smallrye.faulttolerance.api.CustomBackoff;
import io.smallrye.faulttolerance.api.RateLimit;
import io.smallrye.faulttolerance.api.RateLimitException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

/**
 * Fault Tolerance wraps the bulkhead: retries, fallbacks, circuit breakers and limits. {@code fault-tolerance.adoc}
 * names these tests. {@link FaultToleranceAsyncTest} has those of timeouts and threads.
 */
@QuarkusTest
class FaultToleranceTest extends BehaviourTestBase {

    @Inject
    Guarded guarded;
    @Inject
    ClassLevel classLevel;
    @Inject
    FaultToleranceProbe probe;
    @Inject
    BeanManager beanManager;

    @BeforeEach
    void reset() {
        probe.reset();
        guarded.tickets().clear();
    }

    /** Trap 14: each retry takes a new permit, and the delay before it holds none. */
    @ParameterizedTest
    @ValueSource(strings = { "synchronous", "uni", "stage" })
    void eachRetryAcquiresANewPermit(String kind) throws Exception {
        List<Integer> inUse = new CopyOnWriteArrayList<>();
        probe.atPause(() -> inUse.add(inUse("retried")));
        assertThat(switch (kind) {
            case "uni" -> get(guarded.retriedUni());
            case "stage" -> get(guarded.retriedStage());
            default -> guarded.retried();
        }).isEqualTo("done");
        assertThat(guarded.tickets()).hasSize(3).isSorted().doesNotHaveDuplicates();
        assertThat(inUse).as("at the start and the end of two pauses").containsExactly(0, 0, 0, 0);
    }

    @Test
    void retriesARejection() {
        try (Permit taken = take("full")) {
            assertThatThrownBy(() -> guarded.persistent()).isInstanceOf(BulkheadFullException.class);
            assertThat(probe.requests()).isEqualTo(3);

            assertThatThrownBy(() -> get(guarded.persistentUni())).isInstanceOf(BulkheadFullException.class);
            assertThat(probe.requests()).isEqualTo(6);
        }
    }

    @Test
    void retryAcquiresAPermitReleasedMeanwhile() {
        Permit taken = take("full");
        probe.atPause(taken::release);

        assertThat(guarded.persistent()).isEqualTo("done");

        assertThat(probe.requests()).isEqualTo(2);
    }

    @Test
    void abortOnPreventsRetriesOfRejections() {
        try (Permit taken = take("full")) {
            assertThatThrownBy(() -> guarded.aborting()).isInstanceOf(BulkheadFullException.class);
            assertThat(probe.requests()).isEqualTo(1);
        }
    }

    @Test
    void allRejectionsAreBulkheadExceptions() {
        assertThat(List.of(BulkheadFullException.class, LockNotAcquiredException.class, BulkheadUnavailableException.class,
                BulkheadContendedException.class, BulkheadInterruptedException.class))
                .allMatch(BulkheadException.class::isAssignableFrom);
    }

    @Test
    void fallbackHandlesTheRejection() throws Exception {
        try (Permit taken = take("full")) {
            assertThat(guarded.withFallback()).isEqualTo("instead of BulkheadFullException");
            assertThat(get(guarded.withFallbackUni())).isEqualTo("instead of BulkheadFullException");
        }
    }

    @Test
    void fallbackHandlesTheRejectionAfterAWait() {
        try (Permit taken = take("impatient")) {
            assertThat(guarded.impatientWithFallback()).isEqualTo("instead of BulkheadFullException");
            assertThat(bulkheads.semaphore("impatient").waiters()).isEmpty();
        }
    }

    /** Fault Tolerance converts it to an InterruptedException, which the methods do not declare, and stops. */
    @Test
    void interruptedCallLeavesNoWaiter() throws Exception {
        for (Callable<String> method : List.<Callable<String>> of(guarded::patientWithFallback, guarded::patientWithRetry)) {
            try (Permit taken = take("patient")) {
                Caller<String> caller = Caller.of(method);
                awaitWaiters("patient", 1);

                caller.interrupt();

                assertThat(caller.failure()).isInstanceOf(ArcUndeclaredThrowableException.class)
                        .cause().isInstanceOf(InterruptedException.class);
                assertThat(caller.interruptedAfterwards()).isFalse();
                assertThat(bulkheads.semaphore("patient").waiters()).isEmpty();
            }
        }
    }

    @Test
    void applyOnAndSkipOnDistinguishRejectionsFromFailures() throws Exception {
        assertThatThrownBy(() -> guarded.fallbackOnRejection(true)).isInstanceOf(IOException.class);
        assertThat(guarded.fallbackOnFailure(true)).isEqualTo("instead of IOException");
        try (Permit taken = take("full")) {
            assertThat(guarded.fallbackOnRejection(false)).isEqualTo("instead of BulkheadFullException");
            assertThatThrownBy(() -> guarded.fallbackOnFailure(false)).isInstanceOf(BulkheadFullException.class);
        }
    }

    @Test
    void fallbackHoldsNoPermit() throws Exception {
        assertThat(guarded.failing()).isEqualTo("0 in use");
    }

    @Test
    void guardedFallbackAcquiresItsOwnPermit() {
        try (Permit taken = take("full")) {
            assertThat(guarded.withGuardedFallback()).isEqualTo("1 in use");
        }
    }

    @Test
    void retriesPrecedeTheFallback() {
        try (Permit taken = take("full")) {
            assertThat(guarded.retriedThenFallback()).isEqualTo("instead of BulkheadFullException");
            assertThat(probe.requests()).isEqualTo(3);
        }
    }

    /** Trap 18: permits acquired before the rejection are released before the next attempt. */
    @Test
    void eachRetryAcquiresAllBulkheadsAgain() {
        List<Integer> inUse = new CopyOnWriteArrayList<>();
        Permit taken = take("narrow");
        probe.atPause(() -> inUse.add(inUse("wide")));
        assertThatThrownBy(() -> guarded.both()).isInstanceOf(BulkheadFullException.class);
        assertThat(inUse).containsExactly(0, 0, 0, 0);
        assertThat(probe.requests()).isEqualTo(3);

        probe.atPause(taken::release);
        assertThat(guarded.both()).isEqualTo("wide 1, narrow 1");
    }

    @Test
    void circuitBreakerCountsRejectionsAndRequestsNoPermitsWhileOpen() {
        try (Permit taken = take("full")) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> guarded.broken()).isInstanceOf(BulkheadFullException.class);
                assertThatThrownBy(() -> get(guarded.brokenUni())).isInstanceOf(BulkheadFullException.class);
            }
            assertThat(probe.requests()).isEqualTo(4);

            assertThatThrownBy(() -> guarded.broken()).isInstanceOf(CircuitBreakerOpenException.class);
            assertThatThrownBy(() -> get(guarded.brokenUni())).isInstanceOf(CircuitBreakerOpenException.class);
            assertThat(probe.requests()).isEqualTo(4);
        }
    }

    @Test
    void circuitBreakerThatSkipsRejectionsStaysClosed() {
        try (Permit taken = take("full")) {
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> guarded.unbroken()).isInstanceOf(BulkheadFullException.class);
            }
        }
        assertThat(guarded.unbroken()).isEqualTo("done");
    }

    @Test
    void rateLimitCountsRejectionsAndRequestsNoPermitsBeyondIt() {
        try (Permit taken = take("full")) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> guarded.rated()).isInstanceOf(BulkheadFullException.class);
            }
            assertThatThrownBy(() -> guarded.rated()).isInstanceOf(RateLimitException.class);
            assertThat(probe.requests()).isEqualTo(2);
        }
    }

    /** The bulkhead of Fault Tolerance is the outer one: a call occupies it while waiting for ours. */
    @Test
    void localBulkheadComesFirst() throws Exception {
        Permit taken = take("patient");
        Caller<String> first = Caller.of(guarded::twoBulkheads);
        awaitWaiters("patient", 1);

        assertThatThrownBy(() -> guarded.twoBulkheads()).isInstanceOf(BulkheadException.class)
                .isNotInstanceOf(BulkheadFullException.class);
        assertThat(probe.requests()).isEqualTo(1);

        taken.release();
        assertThat(first.result()).isEqualTo("done");
        assertThat(guarded.twoBulkheads()).as("both are released").isEqualTo("done");
    }

    @Test
    void localQueueOfAUniComesFirst() throws Exception {
        Permit taken = take("patient");
        CompletableFuture<String> first = guarded.twoBulkheadsUni().subscribeAsCompletionStage();
        awaitWaiters("patient", 1);
        CompletableFuture<String> queued = guarded.twoBulkheadsUni().subscribeAsCompletionStage();

        assertThatThrownBy(() -> get(guarded.twoBulkheadsUni())).isInstanceOf(BulkheadException.class)
                .isNotInstanceOf(BulkheadFullException.class);
        assertThat(bulkheads.semaphore("patient").waiters()).hasSize(1);

        taken.release();
        assertThat(get(first)).isEqualTo("done");
        assertThat(get(queued)).isEqualTo("done");
    }

    @Test
    void annotationsOfTheClass() {
        assertThat(classLevel.failingTwice()).isEqualTo("done");
        assertThat(guarded.tickets()).hasSize(3).isSorted().doesNotHaveDuplicates();
        try (Permit taken = take("class")) {
            assertThatThrownBy(() -> classLevel.plain()).isInstanceOf(BulkheadFullException.class);
            assertThat(probe.requests()).as("including the three before").isEqualTo(6);
        }
    }

    /** Fault Tolerance does not support Multi, and sees only the end of the call. */
    @Test
    void multiHasNeitherRetriesNorFallback() {
        try (Permit taken = take("full")) {
            guarded.multi().subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure(LONG)
                    .assertFailedWith(BulkheadFullException.class);
            assertThat(probe.requests()).isEqualTo(1);
        }
    }

    /** To Fault Tolerance a CompletableFuture is a plain value. */
    @Test
    void completableFutureHasNeitherRetriesNorFallback() {
        try (Permit taken = take("full")) {
            assertThatThrownBy(() -> get(guarded.future())).hasCauseInstanceOf(BulkheadFullException.class);
            assertThat(probe.requests()).isEqualTo(1);
        }
    }

    /** The alternative: each subscription acquires its own permit. */
    @Test
    void multiWithItsOwnRetryAcquiresANewPermit() {
        Permit taken = take("full");
        guarded.multi().onFailure().invoke(taken::release).onFailure().retry().atMost(1)
                .subscribe().withSubscriber(AssertSubscriber.create(1)).awaitCompletion(LONG).assertItems("done");
    }

    /** Like the interceptor of Bean Validation. */
    @Test
    void interceptorWithAHigherPriorityValueRunsWithThePermit() {
        List<Integer> inUse = new CopyOnWriteArrayList<>();
        probe.withPermit(() -> inUse.add(inUse("order")));
        probe.atPause(() -> inUse.add(inUse("order")));

        guarded.intercepted();

        assertThat(inUse).containsExactly(1, 0, 1);
    }

    @Test
    void unauthorizedCallRequestsNoPermit() {
        ManagedContext request = Arc.container().requestContext();
        request.activate();
        try (Permit taken = take("full")) {
            assertThatThrownBy(() -> guarded.denied()).isInstanceOf(SecurityException.class);
            assertThat(probe.requests()).isZero();
        } finally {
            request.terminate();
        }
    }

    @Test
    void bulkheadIsInnermost() throws Exception {
        Method method = Guarded.class.getDeclaredMethod("denied");
        assertThat(beanManager.resolveInterceptors(InterceptionType.AROUND_INVOKE, method.getAnnotation(WithSpan.class),
                method.getAnnotation(DenyAll.class), method.getAnnotation(Asks.class), method.getAnnotation(WithPermit.class),
                new OfFaultTolerance(), new OfRedisBulkhead()))
                .extracting(interceptor -> interceptor.getBeanClass().getSimpleName())
                .containsExactly("WithSpanInterceptor", "DenyAllInterceptor", "FaultToleranceInterceptor", "Asking",
                        "RedisBulkheadInterceptor", "Permitted");
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static class OfFaultTolerance extends AnnotationLiteral<FaultToleranceBinding> implements FaultToleranceBinding {
    }

    private static class OfRedisBulkhead extends AnnotationLiteral<RedisBulkheadBinding> implements RedisBulkheadBinding {
    }

    @ApplicationScoped
    public static class Guarded {

        private final List<Long> tickets = new CopyOnWriteArrayList<>();

        @Inject
        RedisBulkheads bulkheads;

        @Inject
        FaultToleranceProbe probe;

        List<Long> tickets() {
            return tickets;
        }

        @Retry(maxRetries = 2, jitter = 0)
        @CustomBackoff(Pause.class)
        @BeforeRetry(methodName = "pause")
        @RedisBulkhead(name = "retried", permits = 1)
        String retried() {
            return thirdTime(bulkheads.semaphore("retried").holders().get(0).ticket());
        }

        @Retry(maxRetries = 2, jitter = 0)
        @CustomBackoff(Pause.class)
        @BeforeRetry(methodName = "pause")
        @RedisBulkhead(name = "retried", permits = 1)
        Uni<String> retriedUni() {
            return bulkheads.semaphore("retried").holdersAsync().map(holders -> thirdTime(holders.get(0).ticket()));
        }

        @Retry(maxRetries = 2, jitter = 0)
        @CustomBackoff(Pause.class)
        @BeforeRetry(methodName = "pause")
        @RedisBulkhead(name = "retried", permits = 1)
        CompletionStage<String> retriedStage() {
            return bulkheads.semaphore("retried").holdersAsync().map(holders -> thirdTime(holders.get(0).ticket()))
                    .subscribeAsCompletionStage();
        }

        String thirdTime(long ticket) {
            tickets.add(ticket);
            if (tickets.size() % 3 != 0) {
                throw new IllegalStateException("again");
            }
            return "done";
        }

        void pause() {
            probe.pause();
        }

        @Retry(maxRetries = 2, jitter = 0)
        @CustomBackoff(Pause.class)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String persistent() {
            return "done";
        }

        @Retry(maxRetries = 2, jitter = 0)
        @CustomBackoff(Pause.class)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        Uni<String> persistentUni() {
            return Uni.createFrom().item("done");
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0, abortOn = BulkheadException.class)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String aborting() {
            return "done";
        }

        @Fallback(fallbackMethod = "instead")
        @RedisBulkhead(name = "full", permits = 1)
        String withFallback() {
            return "done";
        }

        @Fallback(fallbackMethod = "insteadUni")
        @RedisBulkhead(name = "full", permits = 1)
        Uni<String> withFallbackUni() {
            return Uni.createFrom().item("done");
        }

        @Fallback(fallbackMethod = "instead")
        @RedisBulkhead(name = "patient", permits = 1, maxWait = "60s")
        String patientWithFallback() {
            return "done";
        }

        @Retry(maxRetries = 2)
        @RedisBulkhead(name = "patient", permits = 1, maxWait = "60s")
        String patientWithRetry() {
            return "done";
        }

        @Fallback(fallbackMethod = "instead")
        @RedisBulkhead(name = "impatient", permits = 1, maxWait = "10ms")
        String impatientWithFallback() {
            return "done";
        }

        String instead(Exception reason) {
            return "instead of " + reason.getClass().getSimpleName();
        }

        Uni<String> insteadUni(Exception reason) {
            return Uni.createFrom().item(instead(reason));
        }

        @Fallback(fallbackMethod = "insteadOrFail", applyOn = BulkheadException.class)
        @RedisBulkhead(name = "full", permits = 1)
        String fallbackOnRejection(boolean fail) throws IOException {
            return failIf(fail);
        }

        @Fallback(fallbackMethod = "insteadOrFail", skipOn = BulkheadException.class)
        @RedisBulkhead(name = "full", permits = 1)
        String fallbackOnFailure(boolean fail) throws IOException {
            return failIf(fail);
        }

        String insteadOrFail(boolean fail, Exception reason) {
            return instead(reason);
        }

        private static String failIf(boolean fail) throws IOException {
            if (fail) {
                throw new IOException("own");
            }
            return "done";
        }

        @Fallback(fallbackMethod = "countHolders")
        @RedisBulkhead(name = "failing", permits = 1)
        String failing() {
            throw new IllegalStateException("own");
        }

        String countHolders() {
            return bulkheads.semaphore("failing").status().inUse() + " in use";
        }

        @Fallback(fallbackMethod = "guardedInstead")
        @RedisBulkhead(name = "full", permits = 1)
        String withGuardedFallback() {
            return "done";
        }

        @RedisBulkhead(name = "instead", permits = 1)
        String guardedInstead() {
            return bulkheads.semaphore("instead").status().inUse() + " in use";
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @Fallback(fallbackMethod = "instead")
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String retriedThenFallback() {
            return "done";
        }

        @Retry(maxRetries = 2, jitter = 0)
        @CustomBackoff(Pause.class)
        @BeforeRetry(methodName = "pause")
        @Asks
        @RedisBulkhead(name = "wide", permits = 5)
        @RedisBulkhead(name = "narrow", permits = 1)
        String both() {
            return "wide " + bulkheads.semaphore("wide").status().inUse() + ", narrow "
                    + bulkheads.semaphore("narrow").status().inUse();
        }

        @CircuitBreaker(requestVolumeThreshold = 2, failureRatio = 1, delay = 1, delayUnit = ChronoUnit.HOURS)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String broken() {
            return "done";
        }

        @CircuitBreaker(requestVolumeThreshold = 2, failureRatio = 1, delay = 1, delayUnit = ChronoUnit.HOURS)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        Uni<String> brokenUni() {
            return Uni.createFrom().item("done");
        }

        @CircuitBreaker(requestVolumeThreshold = 2, failureRatio = 1, delay = 1, delayUnit = ChronoUnit.HOURS, skipOn = BulkheadException.class)
        @RedisBulkhead(name = "full", permits = 1)
        String unbroken() {
            return "done";
        }

        @RateLimit(value = 2, window = 1, windowUnit = ChronoUnit.HOURS)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String rated() {
            return "done";
        }

        @Bulkhead(1)
        @Asks
        @RedisBulkhead(name = "patient", permits = 1, maxWait = "60s")
        String twoBulkheads() {
            return "done";
        }

        @Bulkhead(value = 1, waitingTaskQueue = 1)
        @RedisBulkhead(name = "patient", permits = 1, maxWait = "60s")
        Uni<String> twoBulkheadsUni() {
            return Uni.createFrom().item("done");
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        Multi<String> multi() {
            return Multi.createFrom().item("done");
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }

        @Retry(maxRetries = 1, jitter = 0)
        @CustomBackoff(Pause.class)
        @WithPermit
        @RedisBulkhead(name = "order", permits = 1)
        void intercepted() {
            tickets.add(1L);
            if (tickets.size() == 1) {
                throw new IllegalStateException("again");
            }
        }

        @WithSpan
        @DenyAll
        @Fallback(fallbackMethod = "instead")
        @Asks
        @WithPermit
        @RedisBulkhead(name = "full", permits = 1)
        String denied() {
            return "done";
        }
    }

    @ApplicationScoped
    @Retry(maxRetries = 2, delay = 0, jitter = 0)
    @Asks
    @RedisBulkhead(name = "class", permits = 1)
    public static class ClassLevel {

        @Inject
        Guarded guarded;

        @Inject
        RedisBulkheads bulkheads;

        String failingTwice() {
            return guarded.thirdTime(bulkheads.semaphore("class").holders().get(0).ticket());
        }

        String plain() {
            return "done";
        }
    }
}
