package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.StringJoiner;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.opentelemetry.instrumentation.annotations.WithSpan;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.behaviour.FaultToleranceProbe.Asks;
import io.quarkiverse.redisbulkhead.behaviour.FaultToleranceProbe.Pause;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.arc.ArcUndeclaredThrowableException;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.faulttolerance.FaultToleranceBinding;
import io.smallrye.faulttolerance.api.BeforeRetry;
import io.smallrye.faulttolerance.api.CustomBackoff;
import io.smallrye.faulttolerance.api.RateLimit;
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
    @ValueSource(strings = { "retried", "retriedUni" })
    void eachRetryAcquiresANewPermit(String method) throws Exception {
        List<Integer> inUse = new CopyOnWriteArrayList<>();
        probe.atPause(() -> inUse.add(inUse("retried")));
        assertThat(outcome(method)).isEqualTo("done");
        assertThat(guarded.tickets()).hasSize(3).isSorted().doesNotHaveDuplicates();
        assertThat(inUse).as("at the start and the end of two pauses").containsExactly(0, 0, 0, 0);
    }

    /**
     * The outcomes of consecutive calls while the bulkhead is full, how often they requested a permit, and the outcome of one
     * more call when the bulkhead is free. Fault Tolerance does not support {@code Multi}, and to it a
     * {@code CompletableFuture}
     * is a plain value.
     */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            method                | requests | free                   | when full
            retry                 | 3        | done                   | BulkheadFull
            abortingRetry         | 1        | done                   | BulkheadFull
            retryOfMulti          | 1        | done                   | BulkheadFull
            retryOfFuture         | 1        | done                   | BulkheadFull
            fallbackUni           | 1        | done                   | instead of BulkheadFullException
            retryThenFallback     | 3        | done                   | instead of BulkheadFullException
            fallbackOnRejection   | 1        | IO                     | instead of BulkheadFullException
            circuitBreaker        | 2        | CircuitBreakerOpen     | BulkheadFull, BulkheadFull, CircuitBreakerOpen
            rateLimit             | 2        | RateLimit              | BulkheadFull, BulkheadFull, RateLimit
            """)
    void rejectionIsAFailureLikeOthers(String method, int requests, String whenFree, String whenFull) throws Exception {
        String bulkhead = Guarded.class.getDeclaredMethod(method).getAnnotation(RedisBulkhead.class).name();
        try (Permit taken = take(bulkhead)) {
            StringJoiner outcomes = new StringJoiner(", ");
            int calls = whenFull.split(", ").length;
            for (int call = 0; call < calls; call++) {
                outcomes.add(outcome(method));
            }
            assertThat(outcomes).hasToString(whenFull);
            assertThat(probe.requests()).isEqualTo(requests);
        }
        assertThat(outcome(method)).isEqualTo(whenFree);
    }

    /** What a call of a method returns, or what its exception is called. */
    private String outcome(String method) throws Exception {
        try {
            Object result = Guarded.class.getDeclaredMethod(method).invoke(guarded);
            return result instanceof Uni<?> uni ? (String) get(uni)
                    : result instanceof Multi<?> multi ? (String) get(multi.toUni())
                            : result instanceof CompletionStage<?> stage ? (String) get(Uni.createFrom().completionStage(stage))
                                    : (String) result;
        } catch (InvocationTargetException e) {
            return e.getCause().getClass().getSimpleName().replace("Exception", "");
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName().replace("Exception", "");
        }
    }

    @Test
    void retryAcquiresAPermitReleasedMeanwhile() {
        Permit taken = take("full");
        probe.atPause(taken::release);

        assertThat(guarded.retry()).isEqualTo("done");

        assertThat(probe.requests()).isEqualTo(2);
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

    /** The alternative: each subscription acquires its own permit. */
    @Test
    void multiWithItsOwnRetryAcquiresANewPermit() {
        Permit taken = take("full");
        guarded.retryOfMulti().onFailure().invoke(taken::release).onFailure().retry().atMost(1)
                .subscribe().withSubscriber(AssertSubscriber.create(1)).awaitCompletion(LONG).assertItems("done");
    }

    @Test
    void bulkheadIsInnermost() throws Exception {
        Method method = Guarded.class.getDeclaredMethod("denied");
        assertThat(beanManager.resolveInterceptors(InterceptionType.AROUND_INVOKE, method.getAnnotation(WithSpan.class),
                method.getAnnotation(DenyAll.class), method.getAnnotation(Asks.class),
                new OfFaultTolerance(), new OfRedisBulkhead()))
                .extracting(interceptor -> interceptor.getBeanClass().getSimpleName())
                .containsExactly("WithSpanInterceptor", "DenyAllInterceptor", "FaultToleranceInterceptor", "Asking",
                        "RedisBulkheadInterceptor");
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
        String retry() {
            return "done";
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0, abortOn = BulkheadException.class)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String abortingRetry() {
            return "done";
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        Multi<String> retryOfMulti() {
            return Multi.createFrom().item("done");
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        CompletableFuture<String> retryOfFuture() {
            return CompletableFuture.completedFuture("done");
        }

        @Fallback(fallbackMethod = "insteadUni")
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        Uni<String> fallbackUni() {
            return Uni.createFrom().item("done");
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @Fallback(fallbackMethod = "instead")
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String retryThenFallback() {
            return "done";
        }

        @Fallback(fallbackMethod = "instead", applyOn = BulkheadException.class)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String fallbackOnRejection() throws IOException {
            throw new IOException("own");
        }

        String instead(Exception reason) {
            return "instead of " + reason.getClass().getSimpleName();
        }

        Uni<String> insteadUni(Exception reason) {
            return Uni.createFrom().item(instead(reason));
        }

        @CircuitBreaker(requestVolumeThreshold = 2, failureRatio = 1, delay = 1, delayUnit = ChronoUnit.HOURS)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String circuitBreaker() {
            return "done";
        }

        @RateLimit(value = 2, window = 1, windowUnit = ChronoUnit.HOURS)
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String rateLimit() {
            return "done";
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

        @Bulkhead(1)
        @Asks
        @RedisBulkhead(name = "patient", permits = 1, maxWait = "60s")
        String twoBulkheads() {
            return "done";
        }

        @WithSpan
        @DenyAll
        @Fallback(fallbackMethod = "instead")
        @Asks
        @RedisBulkhead(name = "full", permits = 1)
        String denied() {
            return "done";
        }
    }
}
