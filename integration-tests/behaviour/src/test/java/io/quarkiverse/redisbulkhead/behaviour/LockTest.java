package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.vertx.core.Vertx;

/** Locks: each method, and its asynchronous variant that returns a Uni. */
@QuarkusTest
class LockTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    // As configured.
    private static final Duration TIMEOUT = Duration.ofSeconds(40);

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    CurrentPermit currentPermit;

    @Inject
    Orders orders;

    @Inject
    Vertx vertx;

    @Test
    void isConfiguredByName() {
        assertThat(bulkheads.lock("any name").spec())
                .isEqualTo(LockSpec.named("any name").lockTimeout(TIMEOUT).build());
        assertThat(bulkheads.lock("impatient").spec()).isEqualTo(
                LockSpec.named("impatient").acquireTimeout(SHORT).lockTimeout(TIMEOUT).fair(true).build());
        LockSpec own = LockSpec.named("impatient").acquireTimeout(LONG).build();
        assertThat(bulkheads.lock(own).spec()).isEqualTo(own);
    }

    @Test
    void rejectsInvalidArguments() {
        assertThatThrownBy(() -> bulkheads.lock((String) null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> bulkheads.lock(" ")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> bulkheads.lock((LockSpec) null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spec");
        RedisLock lock = bulkheads.lock("bad-arguments");
        for (Duration wait : new Duration[] { null, Duration.ofNanos(-1), SemaphoreSpec.MAX_WAIT.plusMillis(1) }) {
            List<Runnable> calls = List.of(() -> lock.tryLock(wait), () -> lock.tryLockAsync(wait),
                    () -> lock.run(wait, () -> {
                    }), () -> unchecked(() -> lock.call(wait, () -> "never")),
                    () -> lock.runAsync(wait, () -> Uni.createFrom().nullItem()),
                    () -> lock.callAsync(wait, () -> Uni.createFrom().nullItem()));
            assertThat(calls).allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxWait").hasMessageContaining(String.valueOf(wait)));
        }
        List<Runnable> calls = List.of(() -> lock.run(null), () -> unchecked(() -> lock.call(null)), () -> lock.runAsync(null),
                () -> lock.callAsync(null));
        assertThat(calls).allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("action"));
        assertThat(lock.owner()).isEmpty();
    }

    /** Code cannot access the bulkhead behind a lock, for example to resize it. */
    @Test
    void reservesTheBulkheadBehindALock() {
        SemaphoreSpec behind = LockSpec.named("orders").build().bulkhead();
        assertThatThrownBy(() -> bulkheads.semaphore(behind)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'lock:orders'").hasMessageContaining("lock(LockSpec)");
        assertThatThrownBy(() -> bulkheads.semaphore(behind.toBuilder().permits(2).build()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> bulkheads.semaphore("lock:orders")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lockAndBulkheadOfTheSameNameAreIndependent() {
        RedisSemaphore bulkhead = bulkheads.semaphore(SemaphoreSpec.named("same").permits(1).build());
        RedisLock lock = bulkheads.lock("same");
        try (Permit execution = bulkhead.acquire(Duration.ZERO); Permit owned = lock.tryLock().orElseThrow()) {
            assertThat(execution.bulkhead()).isEqualTo("same");
            assertThat(owned.bulkhead()).isEqualTo("lock:same");
            assertThat(owned).asString().contains("'lock:same'").contains(owned.id());
            assertThat(lock.tryLock()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "fair", "unfair" })
    void lockHasOneOwnerAtATime(String order) throws Exception {
        int threads = 16;
        int turns = 25;
        RedisLock lock = bulkheads.lock(LockSpec.named("exclusive-" + order).fair(order.equals("fair"))
                .acquireTimeout(Duration.ofSeconds(60)).build());
        AtomicInteger inside = new AtomicInteger();
        int[] count = new int[1];
        List<Long> tokens = new ArrayList<>();
        List<Caller<String>> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            callers.add(Caller.of(() -> {
                for (int turn = 0; turn < turns; turn++) {
                    lock.run(() -> {
                        assertThat(inside.incrementAndGet()).as("owners").isEqualTo(1);
                        count[0]++;
                        tokens.add(currentPermit.get().fencingToken());
                        inside.decrementAndGet();
                    });
                }
                return "done";
            }));
        }
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("done");
        }
        assertThat(count[0]).isEqualTo(threads * turns);
        assertThat(tokens).as("fencing tokens in the order of ownership").hasSize(threads * turns).isSorted()
                .doesNotHaveDuplicates();
        assertReleased(lock);
    }

    /** Releasing an expired lock does not affect the next owner. */
    @Test
    void lateReleaseKeepsTheLockOfTheSuccessor() {
        RedisLock crashing = crashing("late-release", Duration.ofMillis(200));
        Permit late = crashing.lock();
        Permit successor = bulkheads.lock("late-release").tryLock(LONG).orElseThrow();
        assertThat(successor.fencingToken()).isGreaterThan(late.fencingToken());
        assertThat(late.isHeld()).isFalse();

        assertThat(late.release()).isFalse();
        assertThat(late.refresh()).isFalse();

        assertThat(crashing.owner()).hasValueSatisfying(owner -> assertThat(owner.permitId()).isEqualTo(successor.id()));
        assertThat(crashing.tryLock()).isEmpty();
        assertThat(successor.refresh()).isTrue();
        assertThat(successor.release()).isTrue();
        assertReleased(crashing);
    }

    @Test
    void oneCallerAcquiresAnExpiredLock() throws Exception {
        int takers = 4;
        int rounds = 100;
        RedisLock crashing = crashing("expired", Duration.ofMillis(20));
        RedisLock lock = bulkheads.lock("expired");
        CyclicBarrier expired = new CyclicBarrier(takers);
        CyclicBarrier taken = new CyclicBarrier(takers);
        AtomicInteger owners = new AtomicInteger();
        // A permit to which no code refers is leaked, and goes back instead of being lost.
        List<Permit> lost = new CopyOnWriteArrayList<>();
        List<Caller<String>> callers = new ArrayList<>();
        for (int i = 0; i < takers; i++) {
            boolean isFirst = i == 0;
            callers.add(Caller.of(() -> {
                for (int round = 0; round < rounds; round++) {
                    if (isFirst) {
                        owners.set(0);
                        lost.add(crashing.lock());
                    }
                    expired.await(30, TimeUnit.SECONDS);
                    Optional<Permit> own = Optional.empty();
                    while (own.isEmpty() && owners.get() == 0) {
                        own = lock.tryLock();
                    }
                    own.ifPresent(permit -> owners.incrementAndGet());
                    taken.await(30, TimeUnit.SECONDS);
                    assertThat(owners).hasValue(1);
                    own.ifPresent(Permit::release);
                    taken.await(30, TimeUnit.SECONDS);
                }
                return "done";
            }));
        }
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("done");
        }
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(orders.losses())
                .filteredOn(loss -> loss.bulkhead().equals("lock:expired")).hasSize(rounds));
        assertThat(lost).hasSize(rounds).noneMatch(Permit::isHeld);
    }

    @Test
    void waitTimesOut() {
        RedisLock lock = bulkheads.lock("in-time");
        RedisLock impatient = bulkheads.lock(LockSpec.named("in-time").acquireTimeout(SHORT).build());
        try (Permit owned = lock.lock()) {
            Map<String, Runnable> rejected = new LinkedHashMap<>();
            rejected.put("lock", impatient::lock);
            rejected.put("run", () -> impatient.run(LockTest::mustNotRun));
            rejected.put("run for", () -> lock.run(SHORT, LockTest::mustNotRun));
            rejected.put("call", () -> unchecked(() -> impatient.call(LockTest::mustNotRunUni)));
            rejected.put("call for", () -> unchecked(() -> lock.call(SHORT, LockTest::mustNotRunUni)));
            rejected.put("lockAsync", () -> impatient.lockAsync().await().atMost(LONG));
            rejected.put("runAsync", () -> impatient.runAsync(LockTest::mustNotRunUni).await().atMost(LONG));
            rejected.put("runAsync for", () -> lock.runAsync(SHORT, LockTest::mustNotRunUni).await().atMost(LONG));
            rejected.put("callAsync", () -> impatient.callAsync(LockTest::mustNotRunUni).await().atMost(LONG));
            rejected.put("callAsync for", () -> lock.callAsync(SHORT, LockTest::mustNotRunUni).await().atMost(LONG));
            rejected.forEach((method, call) -> inTime(method, () -> {
                assertThatThrownBy(call::run).as(method).isInstanceOfSatisfying(LockNotAcquiredException.class, e -> {
                    assertThat(e.lock()).isEqualTo("in-time");
                    // The longest lease that this instance has asked for.
                    assertThat(e.nearestLeaseEnd()).isBetween(Duration.ofSeconds(1), TIMEOUT);
                }).isInstanceOf(BulkheadFullException.class).hasMessageContaining("Lock 'in-time' was not free in time");
                return null;
            }));
            inTime("tryLock", () -> assertThat(lock.tryLock(SHORT)).isEmpty());
            inTime("tryLockAsync", () -> assertThat(lock.tryLockAsync(SHORT).await().atMost(LONG)).isEmpty());
            assertThat(owned.isHeld()).isTrue();
            assertThat(lock.waiters()).isEmpty();
        }
        assertReleased(lock);
    }

    private static void inTime(String method, Supplier<Object> call) {
        long begunAt = System.nanoTime();
        call.get();
        assertThat(Duration.ofNanos(System.nanoTime() - begunAt)).as(method).isBetween(SHORT, Duration.ofSeconds(15));
    }

    /** A rejection by an inner bulkhead is not a rejection by the lock. */
    @Test
    void propagatesRejectionsOfTheAction() {
        BulkheadFullException own = new BulkheadFullException("reports", 5, Duration.ofSeconds(1));
        RedisLock lock = bulkheads.lock("rejected-within");
        assertThatThrownBy(() -> lock.run(() -> {
            throw own;
        })).isSameAs(own);
        assertThatThrownBy(() -> lock.runAsync(() -> Uni.createFrom().failure(own)).await().atMost(LONG)).isSameAs(own);
        assertReleased(lock);
    }

    @Test
    void asyncMethods() {
        RedisLock lock = bulkheads.lock("async");
        Permit first = lock.tryLockAsync().await().atMost(LONG).orElseThrow();
        assertThat(lock.tryLockAsync().await().atMost(LONG)).isEmpty();
        assertThat(lock.ownerAsync().await().atMost(LONG)).map(Holder::permitId).hasValue(first.id());
        assertThat(lock.waitersAsync().await().atMost(LONG)).isEmpty();
        UniAssertSubscriber<Permit> waiting = subscribe(lock.lockAsync());
        awaitWaiting(lock, 1);
        assertThat(lock.waitersAsync().await().atMost(LONG)).hasSize(1);
        assertThat(first.releaseAsync().await().atMost(LONG)).isTrue();
        Permit second = waiting.awaitItem(LONG).getItem();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(lock.revokeAsync().await().atMost(LONG)).isTrue();
        assertThat(second.refresh()).isFalse();

        assertThat(lock.callAsync(() -> lock.ownerAsync().map(owner -> owner.orElseThrow().bulkhead())).await().atMost(LONG))
                .isEqualTo("lock:async");
        AtomicInteger runs = new AtomicInteger();
        Uni<Void> run = lock.runAsync(LONG, () -> Uni.createFrom().item(runs::incrementAndGet));
        assertThat(runs).hasValue(0);
        run.await().atMost(LONG);
        run.await().atMost(LONG);
        assertThat(runs).hasValue(2);
        IOException own = new IOException("own");
        assertThat(subscribe(lock.callAsync(LONG, () -> Uni.createFrom().failure(own))).awaitFailure(LONG).getFailure())
                .isSameAs(own);
        assertReleased(lock);
    }

    @Test
    void interruptEndsTheWait() throws Exception {
        RedisLock lock = bulkheads.lock("interrupted");
        try (Permit owned = lock.lock()) {
            Caller<Permit> waiting = Caller.of(lock::lock);
            awaitWaiting(lock, 1);
            waiting.interrupt();
            assertThat(waiting.failure()).isInstanceOf(BulkheadInterruptedException.class).hasMessageContaining("interrupted");
            assertThat(waiting.interruptedAfterwards()).isTrue();
            assertThat(lock.waiters()).isEmpty();
        }
    }

    /** Trap 17: an owner that requests its lock again would wait for itself. */
    @Test
    void isNotReentrant() {
        RedisLock lock = bulkheads.lock("impatient");
        AtomicInteger runs = new AtomicInteger();
        lock.run(() -> {
            runs.incrementAndGet();
            assertThatThrownBy(() -> lock.run(LockTest::mustNotRun)).isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageStartingWith("Lock 'impatient' is held by a call around this one");
            assertThat(currentPermit.get().refresh()).as("the lock is still owned").isTrue();
        });
        assertThat(runs).hasValue(1);
        assertReleased(lock);
    }

    @Test
    void operatorRevokesTheLock() {
        RedisLock lock = bulkheads.lock("revoked");
        assertThat(lock.revoke()).isFalse();
        Permit owned = lock.lock();

        assertThat(lock.revoke()).isTrue();

        assertThat(lock.owner()).isEmpty();
        Permit next = lock.tryLock().orElseThrow();
        assertThat(owned.refresh()).isFalse();
        assertThat(owned.isHeld()).isFalse();
        assertThat(owned.release()).isFalse();
        assertThat(next.release()).isTrue();
        await().atMost(LONG).untilAsserted(() -> assertThat(orders.losses()).extracting(PermitLost::bulkhead)
                .contains("lock:revoked"));
    }

    /** A lost lock interrupts the execution with {@code on-lost=interrupt}. */
    @Test
    void lostLockInterruptsItsExecution() throws Exception {
        RedisLock lock = bulkheads.lock(LockSpec.named("interrupting").onLost(OnLost.INTERRUPT)
                .lockTimeout(Duration.ofSeconds(20)).build());
        CompletableFuture<Permit> own = new CompletableFuture<>();
        Caller<String> running = Caller.of(() -> lock.call(() -> {
            own.complete(currentPermit.get());
            return new CountDownLatch(1).await(LONG.toSeconds(), TimeUnit.SECONDS) ? "never" : "not interrupted";
        }));
        Permit permit = own.get(20, TimeUnit.SECONDS);
        assertThat(bulkheads.lock("interrupting").revoke()).isTrue();
        // Detects the loss now, before the next renewal.
        assertThat(permit.refresh()).isFalse();
        assertThat(running.failure()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void faultToleranceHandlesRejectionsOfLocks() {
        try (Permit owned = bulkheads.lock("impatient").lock()) {
            assertThat(orders.submit()).isEqualTo("fallback");
        }
        assertThat(orders.submit()).isEqualTo("submitted");
    }

    @Test
    void blockingMethodsFailOnAnEventLoop() throws Exception {
        RedisLock lock = bulkheads.lock("event-loop");
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("tryLock", lock::tryLock);
        calls.put("lock", lock::lock);
        calls.put("run", () -> lock.run(LockTest::mustNotRun));
        calls.put("call", () -> unchecked(() -> lock.call(LockTest::mustNotRunUni)));
        calls.put("owner", lock::owner);
        calls.put("waiters", lock::waiters);
        calls.put("revoke", lock::revoke);
        assertThat(EventLoopCalls.failures(vertx, calls)).hasSameSizeAs(calls)
                .allSatisfy((method, failure) -> assertThat(failure).isInstanceOf(IllegalStateException.class)
                        .hasMessage("RedisLock." + method + "() must not be called on an event loop; use " + method
                                + "Async() there"));
        assertReleased(lock);
    }

    // Its owners never renew, like those that have crashed.
    private RedisLock crashing(String name, Duration lockTimeout) {
        return bulkheads.lock(LockSpec.named(name).lockTimeout(lockTimeout).maxHold(lockTimeout).build());
    }

    private static void assertReleased(RedisLock lock) {
        assertThat(lock.owner()).isEmpty();
        assertThat(lock.waiters()).isEmpty();
    }

    private static void awaitWaiting(RedisLock lock, int number) {
        await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> lock.waiters().size() == number);
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private static void mustNotRun() {
        throw new AssertionError("The action must not run");
    }

    private static Uni<String> mustNotRunUni() {
        throw new AssertionError("The action must not run");
    }

    private interface Throwing {
        void run() throws Exception;
    }

    private static void unchecked(Throwing call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ApplicationScoped
    public static class Orders {

        private final List<PermitLost> losses = new CopyOnWriteArrayList<>();

        @Inject
        RedisBulkheads bulkheads;

        void lost(@Observes PermitLost loss) {
            losses.add(loss);
        }

        List<PermitLost> losses() {
            return losses;
        }

        @Fallback(fallbackMethod = "instead", applyOn = BulkheadException.class)
        String submit() {
            String[] result = new String[1];
            bulkheads.lock("impatient").run(() -> result[0] = "submitted");
            return result[0];
        }

        String instead() {
            return "fallback";
        }
    }
}
