package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.CheckedCallable;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Bulkheads used from code: each method, and its asynchronous variant that returns a Uni. */
@QuarkusTest
class ProgrammaticApiTest extends BehaviourTestBase {

    @Inject
    Guarded guarded;

    private RedisSemaphore reports() {
        return bulkheads.semaphore("reports");
    }

    @Test
    void names() {
        assertThat(List.copyOf(bulkheads.names())).isSorted().filteredOn(ownBulkheads()::contains)
                .containsExactly("api-off", "reports", "reprints");
        assertThatThrownBy(() -> bulkheads.names().remove("api-off")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void unknownNameListsTheMostSimilarNameFirst() {
        assertThatThrownBy(() -> bulkheads.semaphore("report")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'report'").hasMessageContaining("Did you mean 'reports'?")
                .satisfies(unknown -> assertThat(unknown.getMessage().split("declares ")[1].split(", "))
                        .filteredOn(ownBulkheads()::contains).containsExactly("reports", "reprints", "api-off"));
    }

    @Test
    void tryAcquire() {
        Permit first = reports().tryAcquire().orElseThrow();
        Permit second = get(reports().tryAcquireAsync()).orElseThrow();

        assertThat(reports().tryAcquire()).isEmpty();
        assertThat(get(reports().tryAcquireAsync())).isEmpty();

        assertThat(first.bulkhead()).isEqualTo("reports");
        // Drawn when they are first asked for: only a single permit has tokens in the order of its executions.
        assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
        assertThat(first.id()).isNotEqualTo(second.id());
        assertThat(holders("reports")).containsExactly("ProgrammaticApiTest#tryAcquire", "ProgrammaticApiTest#tryAcquire");
        assertThat(first.release()).isTrue();
        assertThat(get(second.releaseAsync())).isTrue();
    }

    @Test
    void acquire() throws Exception {
        Permit first = reports().acquire(Duration.ZERO);
        Permit second = get(reports().acquireAsync(Duration.ZERO));
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(50))) {
            assertThatThrownBy(() -> reports().acquire(wait)).isInstanceOf(BulkheadFullException.class);
            assertThatThrownBy(() -> get(reports().acquireAsync(wait))).isInstanceOf(BulkheadFullException.class);
        }

        Caller<Permit> third = Caller.of(() -> reports().acquire(SemaphoreSpec.MAX_WAIT));
        awaitWaiters("reports", 1);
        first.close();
        Permit thirdPermit = third.result();
        // Not before: a new call may overtake a waiter.
        CompletableFuture<Permit> fourth = reports().acquireAsync(LONG).subscribeAsCompletionStage();
        awaitWaiters("reports", 1);
        second.close();

        assertThat(fourth.get(10, TimeUnit.SECONDS).release()).isTrue();
        assertThat(thirdPermit.release()).isTrue();
    }

    /** Trap 14: nothing is requested before the subscription, and each subscription has its own permit. */
    @Test
    void eachSubscriptionAcquiresAPermit() {
        Uni<Permit> uni = reports().acquireAsync(Duration.ZERO);
        assertThat(inUse("reports")).isZero();
        List<Permit> both = List.of(get(uni), get(uni));
        assertThat(inUse("reports")).isEqualTo(2);
        both.forEach(Permit::release);
    }

    @Test
    void invalidArguments() {
        for (Duration wait : new Duration[] { null, Duration.ofNanos(-1), Duration.ofDays(-1),
                SemaphoreSpec.MAX_WAIT.plusMillis(1), Duration.ofSeconds(Long.MAX_VALUE) }) {
            assertThatThrownBy(() -> reports().acquire(wait)).as("%s", wait).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxWait").hasMessageContaining(String.valueOf(wait));
            assertThatThrownBy(() -> reports().acquireAsync(wait)).as("%s", wait)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("maxWait");
        }
        for (int size : new int[] { 0, -1, Integer.MIN_VALUE }) {
            assertThatThrownBy(() -> reports().resize(size)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("permits must be at least 1, but is " + size);
            assertThatThrownBy(() -> reports().resizeAsync(size)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void runAndCall() throws Exception {
        AtomicInteger inUse = new AtomicInteger();
        reports().run(() -> inUse.set(inUse("reports")));
        assertThat(inUse).hasValue(1);
        assertThat(reports().call(() -> holders("reports"))).containsExactly("ProgrammaticApiTest#runAndCall");
        assertThat(lengthOf("four")).isEqualTo(4);
        IOException own = new IOException("own");
        assertThatThrownBy(() -> reports().call(() -> {
            throw own;
        })).isSameAs(own);
        AssertionError error = new AssertionError("own");
        assertThatThrownBy(() -> reports().run(() -> {
            throw error;
        })).isSameAs(error);
        assertThat(inUse("reports")).isZero();
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
    void runAsyncAndCallAsync() {
        assertThat(get(reports().callAsync(() -> reports().statusAsync().map(SemaphoreStatus::inUse)))).isEqualTo(1);
        AtomicInteger calls = new AtomicInteger();
        Uni<Void> run = reports().runAsync(() -> Uni.createFrom().item(calls::incrementAndGet));
        assertThat(calls).hasValue(0);
        assertThat(get(run)).isNull();
        get(run);
        assertThat(calls).hasValue(2);

        IOException own = new IOException("own");
        assertThat(subscribe(reports().callAsync(() -> Uni.createFrom().failure(own))).awaitFailure(LONG).getFailure())
                .isSameAs(own);
        IllegalArgumentException thrown = new IllegalArgumentException("own");
        assertThat(subscribe(reports().runAsync(() -> {
            throw thrown;
        })).awaitFailure(LONG).getFailure()).isSameAs(thrown);
        for (Uni<?> withoutUni : List.of(reports().runAsync(() -> null), reports().callAsync(() -> null))) {
            assertThat(subscribe(withoutUni).awaitFailure(LONG).getFailure())
                    .hasMessage(
                            "What bulkhead 'reports' guards returned null instead of a Uni. Return a Uni that fails, or has no"
                                    + " value");
        }
        assertThat(inUse("reports")).isZero();
    }

    @Test
    void actionsDoNotRunWhenFull() {
        AtomicInteger runs = new AtomicInteger();
        Uni<Integer> action = Uni.createFrom().item(runs::incrementAndGet);
        try (Permit one = take("reports"); Permit two = take("reports")) {
            Stream.<Runnable> of(() -> reports().run(runs::incrementAndGet), () -> reports().call(runs::incrementAndGet),
                    () -> get(reports().runAsync(() -> action)), () -> get(reports().callAsync(() -> action)))
                    .forEach(call -> assertThatThrownBy(call::run).isInstanceOf(BulkheadFullException.class));
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void statusHoldersAndWaiters() throws Exception {
        List<Permit> all = List.of(take("reports"), take("reports"));
        Caller<Permit> waiting = Caller.of(() -> reports().acquire(LONG));
        awaitWaiters("reports", 1);

        SemaphoreStatus status = reports().status();
        assertThat(status.name()).isEqualTo("reports");
        assertThat(status.limit()).isEqualTo(2);
        assertThat(status.inUse()).isEqualTo(2);
        assertThat(status.waiting()).isEqualTo(1);
        assertThat(status.free()).isZero();
        assertThat(status.resized()).isFalse();
        assertThat(status.declaredLimits()).contains(2);
        assertThat(get(reports().statusAsync())).isEqualTo(status);
        assertThat(reports().holders()).extracting(Holder::permitId)
                .containsExactlyInAnyOrderElementsOf(all.stream().map(Permit::id).toList());
        // Times are computed from two clocks, so they may differ a little from one answer to the next.
        assertThat(get(reports().holdersAsync())).usingRecursiveFieldByFieldElementComparatorIgnoringFields("since", "until")
                .isEqualTo(reports().holders());
        assertThat(reports().waiters()).singleElement()
                .satisfies(waiter -> assertThat(waiter.method()).startsWith("ProgrammaticApiTest#"));
        assertThat(get(reports().waitersAsync())).hasSize(1);

        all.forEach(Permit::release);
        waiting.result().release();
    }

    @Test
    void releaseAndRefreshTwice() {
        Permit permit = take("reports");
        assertThat(permit.isHeld()).isTrue();
        assertThat(permit.refresh()).isTrue();
        assertThat(get(permit.refreshAsync())).isTrue();

        Uni<Boolean> release = permit.releaseAsync();
        assertThat(permit.isHeld()).as("before the subscription").isTrue();
        assertThat(get(release)).isTrue();

        assertThat(permit.isHeld()).isFalse();
        assertThat(get(release)).isFalse();
        assertThat(permit.release()).isFalse();
        assertThat(permit.refresh()).isFalse();
        assertThat(get(permit.refreshAsync())).isFalse();
        permit.close();
    }

    @Test
    void revoke() {
        Permit permit = take("reports");
        assertThat(reports().revoke(permit.id())).isTrue();
        assertThat(get(reports().revokeAsync(permit.id()))).isFalse();
        for (String unknown : List.of(permit.id(), "no such permit", "")) {
            assertThat(reports().revoke(unknown)).isFalse();
        }
        assertThatThrownBy(() -> reports().revoke(null)).hasMessageContaining("permitId");
        assertThatThrownBy(() -> reports().revokeAsync(null)).hasMessageContaining("permitId");
        assertThat(permit.refresh()).isFalse();
        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.release()).isFalse();
    }

    /** Trap 19: running executions finish, and no new one starts until the use is below the new limit. */
    @Test
    void resize() {
        Permit first = take("reports");
        Permit second = take("reports");
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
            get(reports().resizeAsync(7));
            assertThat(reports().status().limit()).isEqualTo(7);
        } finally {
            assertThat(reports().resetSize()).isTrue();
        }
        assertThat(reports().resetSize()).isFalse();
        assertThat(get(reports().resetSizeAsync())).isFalse();
        assertThat(reports().status().limit()).isEqualTo(2);
    }

    /** Trap 24. */
    @Test
    void greatestLimit() {
        reports().resize(Integer.MAX_VALUE);
        assertThat(reports().status().limit()).isEqualTo(Integer.MAX_VALUE);
        assertThat(reports().resetSize()).isTrue();

        RedisSemaphore vast = bulkheads
                .semaphore(SemaphoreSpec.named("vast").permits(Integer.MAX_VALUE).expire(SemaphoreSpec.MAX_EXPIRE).build());
        Permit permit = vast.tryAcquire().orElseThrow();
        assertThat(vast.status().limit()).isEqualTo(Integer.MAX_VALUE);
        assertThat(vast.status().free()).isEqualTo(Integer.MAX_VALUE - 1);
        assertThat(permit.release()).isTrue();
    }

    @Test
    void specSharesPermitsWithTheAnnotationOfTheSameName() {
        RedisSemaphore own = bulkheads.semaphore(SemaphoreSpec.named("reports").permits(2).build());
        try (Permit first = own.acquire(LONG); Permit second = take("reports")) {
            assertThatThrownBy(() -> guarded.render()).isInstanceOf(BulkheadFullException.class);
            first.release();
            assertThat(guarded.render()).isEqualTo("done");
        }
    }

    /** Trap 15: those that have an asynchronous variant. */
    @Test
    void blockingMethodsFailOnAnEventLoop() throws Exception {
        Permit permit = take("reports");
        Map<Class<?>, Object> targets = Map.of(RedisSemaphore.class, reports(), RedisLock.class, bulkheads.lock("event-loop"),
                Permit.class, permit);
        Map<String, Runnable> calls = new LinkedHashMap<>();
        targets.forEach((type, target) -> Stream.of(type.getMethods()).filter(method -> Stream.of(type.getMethods())
                .anyMatch(other -> other.getName().equals(method.getName() + "Async")))
                .forEach(method -> calls.put(method.toString(), () -> invoke(target, method, permit.id()))));
        assertThat(failuresOnAnEventLoop(calls)).hasSameSizeAs(calls).hasSizeGreaterThan(20).allSatisfy((method, failure) -> {
            String name = method.replaceFirst("\\(.*", "").replaceFirst(".* [\\w.]*\\.(\\w+\\.\\w+)", "$1");
            assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessage(name
                    + "() must not be called on an event loop; use " + name.replaceFirst(".*\\.", "") + "Async() there");
        });

        Permit awaiting = bulkheads.semaphore(SemaphoreSpec.named("awaiting").permits(1).awaitRelease(true).build())
                .acquire(LONG);
        assertThat(failuresOnAnEventLoop(Map.of("close", awaiting::close)).get("close")).hasMessageContaining("releaseAsync()");
        // It does not block, unless the definition says awaitRelease.
        assertThat(failuresOnAnEventLoop(Map.of("close", permit::close))).isEmpty();
        assertThat(permit.isHeld()).isFalse();
        awaiting.close();
        assertThat(awaiting.isHeld()).isFalse();
    }

    private static void invoke(Object target, Method method, String text) {
        try {
            method.invoke(target, Stream.of(method.getParameterTypes()).map(type -> type == int.class ? (Object) 1
                    : type == Duration.class ? Duration.ZERO
                            : type == String.class ? text
                                    : type == Runnable.class ? (Runnable) Assertions::fail
                                            : (CheckedCallable<?, ?>) () -> fail())
                    .toArray());
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void disabledBulkheadAdmitsAllCalls() {
        RedisSemaphore off = bulkheads.semaphore("api-off");
        List<Permit> permits = List.of(off.acquire(Duration.ZERO), off.acquire(Duration.ZERO),
                get(off.tryAcquireAsync()).orElseThrow());
        assertThat(permits).allSatisfy(permit -> {
            assertThat(permit.isHeld()).isTrue();
            assertThat(permit.fencingToken()).isZero();
            assertThat(permit.id()).isEmpty();
            assertThat(permit.refresh()).isTrue();
        });
        assertThat(off.call(() -> off.call(() -> "done"))).isEqualTo("done");
        assertThat(get(off.callAsync(() -> off.callAsync(() -> Uni.createFrom().item("done"))))).isEqualTo("done");
        assertThat(off.status().inUse()).isZero();
        assertThat(permits).allSatisfy(permit -> {
            assertThat(permit.release()).isTrue();
            assertThat(permit.release()).isFalse();
            assertThat(permit.isHeld()).isFalse();
        });
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
