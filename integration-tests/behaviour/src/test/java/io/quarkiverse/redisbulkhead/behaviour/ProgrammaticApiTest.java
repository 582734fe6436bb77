package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.vertx.core.Vertx;

/** Bulkheads used from code: each method, and its asynchronous variant that returns a Uni. */
@QuarkusTest
class ProgrammaticApiTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Vertx vertx;

    @AfterEach
    void assertNothingIsLeft() {
        await().atMost(LONG).pollDelay(Duration.ZERO).untilAsserted(() -> {
            assertThat(reports().holders()).isEmpty();
            assertThat(reports().waiters()).isEmpty();
        });
    }

    @Test
    void names() {
        assertThat(List.copyOf(bulkheads.names())).isSorted().filteredOn(OwnBulkheads.of(ProgrammaticApiTest.class)::contains)
                .containsExactly("api-off", "reports", "reprints");
        assertThatThrownBy(() -> bulkheads.names().remove("api-off")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void unknownNameListsTheMostSimilarNameFirst() {
        assertThatThrownBy(() -> bulkheads.semaphore("report")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'report'").hasMessageContaining("Did you mean 'reports'?")
                .satisfies(unknown -> assertThat(unknown.getMessage().split("declares ")[1].split(", "))
                        .filteredOn(OwnBulkheads.of(ProgrammaticApiTest.class)::contains)
                        .containsExactly("reports", "reprints", "api-off"));
    }

    @Test
    void spec() {
        assertThat(reports().spec()).isEqualTo(SemaphoreSpec.named("reports").permits(2).build());
    }

    @Test
    void tryAcquire() {
        Permit first = reports().tryAcquire().orElseThrow();
        Permit second = reports().tryAcquireAsync().await().atMost(LONG).orElseThrow();

        assertThat(reports().tryAcquire()).isEmpty();
        assertThat(reports().tryAcquireAsync().await().atMost(LONG)).isEmpty();

        assertThat(first.bulkhead()).isEqualTo("reports");
        // Drawn when they are first asked for: only a single permit has tokens in the order of its executions.
        assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
        assertThat(first.id()).isNotEqualTo(second.id());
        assertThat(reports().holders()).extracting(Holder::method)
                .containsExactlyInAnyOrder("ProgrammaticApiTest#tryAcquire", "ProgrammaticApiTest#tryAcquire");
        assertThat(first.release()).isTrue();
        assertThat(second.releaseAsync().await().atMost(LONG)).isTrue();
    }

    @Test
    void acquire() throws Exception {
        Permit first = reports().acquire(Duration.ZERO);
        Permit second = reports().acquireAsync(Duration.ZERO).await().atMost(LONG);
        assertThatThrownBy(() -> reports().acquire(Duration.ZERO)).isInstanceOf(BulkheadFullException.class);
        assertThatThrownBy(() -> reports().acquire(Duration.ofMillis(50))).isInstanceOf(BulkheadFullException.class);
        assertThatThrownBy(() -> reports().acquireAsync(Duration.ZERO).await().atMost(LONG))
                .isInstanceOf(BulkheadFullException.class);
        assertThatThrownBy(() -> reports().acquireAsync(Duration.ofMillis(50)).await().atMost(LONG))
                .isInstanceOf(BulkheadFullException.class);

        Caller<Permit> third = Caller.of(() -> reports().acquire(LONG));
        awaitWaiting(1);
        first.close();
        Permit thirdPermit = third.result();
        // Not before: a new call may overtake a waiter.
        CompletableFuture<Permit> fourth = reports().acquireAsync(LONG).subscribeAsCompletionStage();
        awaitWaiting(1);
        second.close();

        assertThat(fourth.get(10, TimeUnit.SECONDS).release()).isTrue();
        assertThat(thirdPermit.release()).isTrue();
    }

    /** Trap 14: nothing is requested before the subscription, and each subscription has its own permit. */
    @Test
    void eachSubscriptionAcquiresAPermit() {
        Uni<Permit> uni = reports().acquireAsync(Duration.ZERO);
        assertThat(reports().status().inUse()).isZero();
        Permit first = uni.await().atMost(LONG);
        Permit second = uni.await().atMost(LONG);
        assertThat(reports().status().inUse()).isEqualTo(2);
        first.release();
        second.release();
    }

    @Test
    void longestWait() throws Exception {
        Permit first = reports().acquire(SemaphoreSpec.MAX_WAIT);
        Permit second = reports().acquire(SemaphoreSpec.MAX_WAIT);
        Caller<Permit> third = Caller.of(() -> reports().acquire(SemaphoreSpec.MAX_WAIT));
        awaitWaiting(1);
        first.release();
        third.result().release();
        second.release();
    }

    @Test
    void invalidWaits() {
        for (Duration wait : new Duration[] { null, Duration.ofNanos(-1), Duration.ofDays(-1),
                SemaphoreSpec.MAX_WAIT.plusMillis(1), Duration.ofSeconds(Long.MAX_VALUE) }) {
            assertThatThrownBy(() -> reports().acquire(wait)).as("%s", wait).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxWait").hasMessageContaining(String.valueOf(wait));
            assertThatThrownBy(() -> reports().acquireAsync(wait)).as("%s", wait)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("maxWait");
        }
    }

    @Test
    void runAndCall() throws Exception {
        AtomicInteger inUse = new AtomicInteger();
        reports().run(() -> inUse.set(reports().status().inUse()));
        assertThat(inUse).hasValue(1);
        assertThat(reports().call(() -> reports().holders().get(0).method())).isEqualTo("ProgrammaticApiTest#runAndCall");
        IOException own = new IOException("own");
        assertThat(lengthOf("four")).isEqualTo(4);
        assertThatThrownBy(() -> reports().call(() -> {
            throw own;
        })).isSameAs(own);
        IllegalArgumentException unchecked = new IllegalArgumentException("own");
        assertThatThrownBy(() -> reports().run(() -> {
            throw unchecked;
        })).isSameAs(unchecked);
        AssertionError error = new AssertionError("own");
        assertThatThrownBy(() -> reports().run(() -> {
            throw error;
        })).isSameAs(error);
        assertThat(reports().status().inUse()).isZero();
    }

    /** The compiler knows what the action throws, and that of both bulkheads nothing else is to be handled. */
    private int lengthOf(String text) {
        try {
            return reports().call(() -> {
                if (text.isEmpty()) {
                    throw new IOException("empty");
                }
                return bulkheads.lock("length").call(text::length);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void runAndCallWhenFull() {
        AtomicInteger calls = new AtomicInteger();
        filled(() -> {
            assertThatThrownBy(() -> reports().run(calls::incrementAndGet)).isInstanceOf(BulkheadFullException.class);
            assertThatThrownBy(() -> reports().call(calls::incrementAndGet)).isInstanceOf(BulkheadFullException.class);
            assertThatThrownBy(() -> reports().runAsync(() -> Uni.createFrom().item(calls::incrementAndGet)).await()
                    .atMost(LONG)).isInstanceOf(BulkheadFullException.class);
            assertThatThrownBy(() -> reports().callAsync(() -> Uni.createFrom().item(calls::incrementAndGet)).await()
                    .atMost(LONG)).isInstanceOf(BulkheadFullException.class);
        });
        assertThat(calls).hasValue(0);
    }

    @Test
    void runAsyncAndCallAsync() {
        assertThat(reports().callAsync(() -> reports().statusAsync().map(SemaphoreStatus::inUse)).await().atMost(LONG))
                .isEqualTo(1);
        AtomicInteger calls = new AtomicInteger();
        Uni<Void> run = reports().runAsync(() -> Uni.createFrom().item(calls::incrementAndGet));
        assertThat(calls).hasValue(0);
        assertThat(run.await().atMost(LONG)).isNull();
        run.await().atMost(LONG);
        assertThat(calls).hasValue(2);

        IOException own = new IOException("own");
        assertThat(reports().callAsync(() -> Uni.createFrom().failure(own)).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).awaitFailure(LONG).getFailure()).isSameAs(own);
        IllegalArgumentException thrown = new IllegalArgumentException("own");
        assertThat(reports().runAsync(() -> {
            throw thrown;
        }).subscribe().withSubscriber(UniAssertSubscriber.create()).awaitFailure(LONG).getFailure()).isSameAs(thrown);
        assertThat(reports().status().inUse()).isZero();

        UniAssertSubscriber<Object> cancelled = reports().callAsync(() -> Uni.createFrom().nothing()).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> reports().status().inUse() == 1);
        cancelled.cancel();
    }

    @Test
    void statusHoldersAndWaiters() throws Exception {
        List<Permit> all = List.of(reports().acquire(LONG), reports().acquire(LONG));
        Caller<Permit> waiting = Caller.of(() -> reports().acquire(LONG));
        awaitWaiting(1);

        SemaphoreStatus status = reports().status();
        assertThat(status.name()).isEqualTo("reports");
        assertThat(status.limit()).isEqualTo(2);
        assertThat(status.inUse()).isEqualTo(2);
        assertThat(status.waiting()).isEqualTo(1);
        assertThat(status.free()).isZero();
        assertThat(status.resized()).isFalse();
        assertThat(status.declaredLimits()).contains(2);
        assertThat(reports().statusAsync().await().atMost(LONG)).isEqualTo(status);
        assertThat(reports().holders()).extracting(Holder::permitId)
                .containsExactlyInAnyOrderElementsOf(all.stream().map(Permit::id).toList());
        assertThat(reports().holdersAsync().await().atMost(LONG)).isEqualTo(reports().holders());
        assertThat(reports().waiters()).singleElement()
                .satisfies(waiter -> assertThat(waiter.method()).startsWith("ProgrammaticApiTest#"));
        assertThat(reports().waitersAsync().await().atMost(LONG)).hasSize(1);

        all.forEach(Permit::release);
        waiting.result().release();
    }

    @Test
    void releaseAndRefreshTwice() {
        Permit permit = reports().acquire(LONG);
        assertThat(permit.isHeld()).isTrue();
        assertThat(permit.refresh()).isTrue();
        assertThat(permit.refreshAsync().await().atMost(LONG)).isTrue();

        assertThat(permit.release()).isTrue();

        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.release()).isFalse();
        assertThat(permit.releaseAsync().await().atMost(LONG)).isFalse();
        assertThat(permit.refresh()).isFalse();
        assertThat(permit.refreshAsync().await().atMost(LONG)).isFalse();
        permit.close();
    }

    /** Each subscription calls Redis, and the first one releases the permit. */
    @Test
    void releaseAsyncTwice() {
        Permit permit = reports().acquire(LONG);
        Uni<Boolean> release = permit.releaseAsync();
        assertThat(permit.isHeld()).isTrue();
        assertThat(release.await().atMost(LONG)).isTrue();
        assertThat(release.await().atMost(LONG)).isFalse();
    }

    @Test
    void revoke() {
        Permit permit = reports().acquire(LONG);
        assertThat(reports().revoke(permit.id())).isTrue();
        assertThat(reports().revoke(permit.id())).isFalse();
        assertThat(reports().revokeAsync(permit.id()).await().atMost(LONG)).isFalse();
        assertThat(reports().revoke("no such permit")).isFalse();
        assertThat(reports().revoke("")).isFalse();
        assertThatThrownBy(() -> reports().revoke(null)).hasMessageContaining("permitId");
        assertThatThrownBy(() -> reports().revokeAsync(null)).hasMessageContaining("permitId");
        assertThat(permit.refresh()).isFalse();
        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.release()).isFalse();
    }

    /** Trap 19: running executions finish, and no new one starts until the use is below the new limit. */
    @Test
    void resize() {
        Permit first = reports().acquire(LONG);
        Permit second = reports().acquire(LONG);
        reports().resize(1);
        try {
            assertThat(reports().status().limit()).isEqualTo(1);
            assertThat(reports().status().resized()).isTrue();
            assertThat(reports().status().free()).isZero();
            first.release();
            assertThat(reports().tryAcquire()).isEmpty();
            second.release();
            Permit third = reports().tryAcquire().orElseThrow();
            assertThatThrownBy(() -> reports().acquire(Duration.ZERO))
                    .isInstanceOfSatisfying(BulkheadFullException.class, e -> assertThat(e.limit()).isEqualTo(1));
            third.release();
            reports().resizeAsync(7).await().atMost(LONG);
            assertThat(reports().status().limit()).isEqualTo(7);
        } finally {
            assertThat(reports().resetSize()).isTrue();
        }
        assertThat(reports().resetSize()).isFalse();
        assertThat(reports().resetSizeAsync().await().atMost(LONG)).isFalse();
        assertThat(reports().status().limit()).isEqualTo(2);
    }

    @Test
    void invalidLimits() {
        for (int size : new int[] { 0, -1, Integer.MIN_VALUE }) {
            assertThatThrownBy(() -> reports().resize(size)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("permits must be at least 1, but is " + size);
            assertThatThrownBy(() -> reports().resizeAsync(size)).isInstanceOf(IllegalArgumentException.class);
        }
        reports().resize(Integer.MAX_VALUE);
        assertThat(reports().status().limit()).isEqualTo(Integer.MAX_VALUE);
        assertThat(reports().resetSize()).isTrue();
    }

    /** Trap 24. */
    @Test
    void greatestLimit() {
        RedisSemaphore vast = bulkheads
                .semaphore(SemaphoreSpec.named("vast").permits(Integer.MAX_VALUE).expire(SemaphoreSpec.MAX_EXPIRE).build());
        Permit permit = vast.tryAcquire().orElseThrow();
        assertThat(vast.status().limit()).isEqualTo(Integer.MAX_VALUE);
        assertThat(vast.status().free()).isEqualTo(Integer.MAX_VALUE - 1);
        assertThat(permit.isHeld()).isTrue();
        assertThat(permit.release()).isTrue();
    }

    @Test
    void specSharesPermitsWithTheAnnotationOfTheSameName() {
        RedisSemaphore own = bulkheads.semaphore(SemaphoreSpec.named("reports").permits(2).build());
        Permit first = own.acquire(LONG);
        Permit second = reports().acquire(LONG);
        assertThatThrownBy(() -> guarded.render()).isInstanceOf(BulkheadFullException.class);
        first.release();
        assertThat(guarded.render()).isEqualTo("done");
        second.release();
    }

    /** Trap 15. */
    @Test
    void blockingMethodsFailOnAnEventLoop() throws Exception {
        Permit permit = reports().acquire(LONG);
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("tryAcquire", () -> reports().tryAcquire());
        calls.put("acquire", () -> reports().acquire(Duration.ZERO));
        calls.put("run", () -> reports().run(() -> {
        }));
        calls.put("call", () -> {
            try {
                reports().call(() -> "never");
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalArgumentException(e);
            }
        });
        calls.put("status", () -> reports().status());
        calls.put("holders", () -> reports().holders());
        calls.put("waiters", () -> reports().waiters());
        calls.put("revoke", () -> reports().revoke(permit.id()));
        calls.put("resize", () -> reports().resize(1));
        calls.put("resetSize", () -> reports().resetSize());
        calls.put("refresh", permit::refresh);
        calls.put("release", permit::release);
        calls.put("detach", permit::detach);
        calls.put("attach", () -> reports().attach(permit.id() + "." + "0".repeat(32)));
        Permit awaiting = bulkheads.semaphore(SemaphoreSpec.named("awaiting").permits(1).awaitRelease(true).build())
                .acquire(LONG);
        calls.put("close", awaiting::close);

        Map<String, Throwable> failures = EventLoopCalls.failures(vertx, calls);

        failures.forEach((method, failure) -> assertThat(failure).as(method).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("event loop")
                .hasMessageContaining(method.equals("close") ? "releaseAsync()" : method + "Async()"));
        assertThat(failures).hasSameSizeAs(calls);
        assertThat(permit.release()).as("the permit is still held").isTrue();
        awaiting.close();
        assertThat(awaiting.isHeld()).isFalse();
    }

    /** It does not block, unless the definition says {@code awaitRelease}. */
    @Test
    void closesPermitsOnAnEventLoop() throws Exception {
        Permit permit = reports().acquire(LONG);

        assertThat(EventLoopCalls.failures(vertx, Map.of("close", permit::close))).isEmpty();

        assertThat(permit.isHeld()).isFalse();
        assertThat(reports().holders()).isEmpty();
    }

    /** The asynchronous variants complete there, on the same event loop. */
    @Test
    void asyncMethodsOnAnEventLoop() throws Exception {
        CompletableFuture<String> done = new CompletableFuture<>();
        vertx.runOnContext(now -> {
            Thread loop = Thread.currentThread();
            reports().acquireAsync(LONG)
                    .chain(permit -> reports().callAsync(() -> reports().statusAsync().map(SemaphoreStatus::inUse))
                            .eventually(permit::releaseAsync))
                    .map(inUse -> inUse + (Thread.currentThread() == loop ? ", same thread" : ", other thread"))
                    .subscribe().with(done::complete, done::completeExceptionally);
        });
        assertThat(done.get(20, TimeUnit.SECONDS)).isEqualTo("2, same thread");
    }

    /** Trap 9. */
    @Test
    void interruptedAcquire() throws Exception {
        Permit first = reports().acquire(LONG);
        Permit second = reports().acquire(LONG);
        Caller<Permit> waiting = Caller.of(() -> reports().acquire(LONG));
        awaitWaiting(1);
        waiting.interrupt();
        assertThat(waiting.failure()).isInstanceOf(BulkheadInterruptedException.class).hasMessageContaining("interrupted");
        assertThat(waiting.interruptedAfterwards()).isTrue();
        assertThat(reports().waiters()).isEmpty();
        first.release();
        second.release();
    }

    @Test
    void disabledBulkheadAdmitsAllCalls() throws Exception {
        RedisSemaphore off = bulkheads.semaphore("api-off");
        List<Permit> permits = new ArrayList<>();
        IntStream.range(0, 10).forEach(i -> {
            permits.add(off.acquire(Duration.ZERO));
            permits.add(off.tryAcquireAsync().await().atMost(LONG).orElseThrow());
        });
        assertThat(permits).allSatisfy(permit -> {
            assertThat(permit.isHeld()).isTrue();
            assertThat(permit.fencingToken()).isZero();
            assertThat(permit.id()).isEmpty();
            assertThat(permit.refresh()).isTrue();
        });
        assertThat(off.call(() -> off.call(() -> "done"))).isEqualTo("done");
        assertThat(off.callAsync(() -> off.callAsync(() -> Uni.createFrom().item("done"))).await().atMost(LONG))
                .isEqualTo("done");
        assertThat(off.status().inUse()).isZero();
        assertThat(permits).allSatisfy(permit -> {
            assertThat(permit.release()).isTrue();
            assertThat(permit.release()).isFalse();
            assertThat(permit.isHeld()).isFalse();
        });
    }

    private void filled(Runnable test) {
        Permit first = reports().acquire(LONG);
        Permit second = reports().acquire(LONG);
        try {
            test.run();
        } finally {
            first.release();
            second.release();
        }
    }

    private void awaitWaiting(int number) {
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> reports().status().waiting() == number);
    }

    private RedisSemaphore reports() {
        return bulkheads.semaphore("reports");
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 2)
        String render() {
            return "done";
        }

        @RedisBulkhead(name = "reprints", permits = 2)
        void reprint() {
        }

        @RedisBulkhead(name = "api-off", permits = 1)
        void off() {
        }
    }
}
