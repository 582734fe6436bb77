package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Locks: each method, and its asynchronous variant that returns a Uni. */
@QuarkusTest
class LockTest extends BehaviourTestBase {

    private static final Duration SHORT = Duration.ofMillis(300);
    // As configured.
    private static final Duration TIMEOUT = Duration.ofSeconds(40);

    @Inject
    CurrentPermit currentPermit;

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
                    () -> lock.run(wait, LockTest::mustNotRun), () -> lock.call(wait, LockTest::mustNotRunUni),
                    () -> lock.runAsync(wait, LockTest::mustNotRunUni), () -> lock.callAsync(wait, LockTest::mustNotRunUni));
            assertThat(calls).allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxWait").hasMessageContaining(String.valueOf(wait)));
        }
        List<Runnable> calls = List.of(() -> lock.run(null), () -> lock.call(null), () -> lock.runAsync(null),
                () -> lock.callAsync(null));
        assertThat(calls).allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("action"));
        assertThatThrownBy(() -> lock.attach("orders")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.attachAsync(null)).isInstanceOf(IllegalArgumentException.class);
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
        List<Long> tokens = new ArrayList<>();
        List<Caller<String>> callers = Stream.generate(() -> Caller.of(() -> {
            for (int turn = 0; turn < turns; turn++) {
                lock.run(() -> {
                    assertThat(inside.incrementAndGet()).as("owners").isEqualTo(1);
                    tokens.add(currentPermit.get().fencingToken());
                    inside.decrementAndGet();
                });
            }
            return "done";
        })).limit(threads).toList();
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("done");
        }
        assertThat(tokens).as("fencing tokens in the order of ownership").hasSize(threads * turns).isSorted()
                .doesNotHaveDuplicates();
        assertReleased(lock);
    }

    /** Releasing an expired lock does not affect the next owner. */
    @Test
    void lateReleaseKeepsTheLockOfTheSuccessor() {
        Duration lockTimeout = Duration.ofMillis(200);
        // Its owner never renews, like one that has crashed.
        RedisLock crashing = bulkheads
                .lock(LockSpec.named("late-release").lockTimeout(lockTimeout).maxHold(lockTimeout).build());
        Permit late = crashing.lock();
        Permit successor = bulkheads.lock("late-release").tryLock(LONG).orElseThrow();
        assertThat(successor.fencingToken()).isGreaterThan(late.fencingToken());
        assertThat(late.isHeld()).isFalse();

        assertThat(late.release()).isFalse();
        assertThat(late.refresh()).isFalse();

        assertThat(crashing.owner()).map(Holder::permitId).contains(successor.id());
        assertThat(crashing.tryLock()).isEmpty();
        assertThat(successor.refresh()).isTrue();
        assertThat(successor.release()).isTrue();
        assertReleased(crashing);
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
            rejected.put("call", () -> impatient.call(LockTest::mustNotRunUni));
            rejected.put("call for", () -> lock.call(SHORT, LockTest::mustNotRunUni));
            rejected.put("lockAsync", () -> get(impatient.lockAsync()));
            rejected.put("runAsync", () -> get(impatient.runAsync(LockTest::mustNotRunUni)));
            rejected.put("runAsync for", () -> get(lock.runAsync(SHORT, LockTest::mustNotRunUni)));
            rejected.put("callAsync", () -> get(impatient.callAsync(LockTest::mustNotRunUni)));
            rejected.put("callAsync for", () -> get(lock.callAsync(SHORT, LockTest::mustNotRunUni)));
            rejected.forEach((method, call) -> inTime(method, () -> {
                assertThatThrownBy(call::run).as(method).isInstanceOfSatisfying(LockNotAcquiredException.class, e -> {
                    assertThat(e.lock()).isEqualTo("in-time");
                    // The longest lease that this instance has asked for.
                    assertThat(e.nearestLeaseEnd()).isBetween(Duration.ofSeconds(1), TIMEOUT);
                }).isInstanceOf(BulkheadFullException.class).hasMessageContaining("Lock 'in-time' was not free in time");
                return null;
            }));
            inTime("tryLock", () -> assertThat(lock.tryLock(SHORT)).isEmpty());
            inTime("tryLockAsync", () -> assertThat(get(lock.tryLockAsync(SHORT))).isEmpty());
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

    @Test
    void asyncMethods() {
        RedisLock lock = bulkheads.lock("async");
        Permit first = get(lock.tryLockAsync()).orElseThrow();
        assertThat(get(lock.tryLockAsync())).isEmpty();
        assertThat(get(lock.ownerAsync())).map(Holder::permitId).hasValue(first.id());
        assertThat(get(lock.waitersAsync())).isEmpty();
        UniAssertSubscriber<Permit> waiting = subscribe(lock.lockAsync());
        eventually(() -> assertThat(lock.waiters()).hasSize(1));
        assertThat(get(lock.waitersAsync())).hasSize(1);
        assertThat(get(first.releaseAsync())).isTrue();
        Permit second = waiting.awaitItem(LONG).getItem();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(get(lock.revokeAsync())).isTrue();
        assertThat(second.refresh()).isFalse();

        String bulkhead = get(lock.callAsync(() -> lock.ownerAsync().map(owner -> owner.orElseThrow().bulkhead())));
        assertThat(bulkhead).isEqualTo("lock:async");
        AtomicInteger runs = new AtomicInteger();
        Uni<Void> run = lock.runAsync(LONG, () -> Uni.createFrom().item(runs::incrementAndGet));
        assertThat(runs).hasValue(0);
        get(run);
        get(run);
        assertThat(runs).hasValue(2);
        IOException own = new IOException("own");
        assertThat(subscribe(lock.callAsync(LONG, () -> Uni.createFrom().failure(own))).awaitFailure(LONG).getFailure())
                .isSameAs(own);
        assertReleased(lock);
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
    void staysHeldForTheMinimumHold() {
        RedisLock lock = bulkheads.lock("nightly");
        lock.run(() -> {
        });
        assertThat(lock.tryLock()).isEmpty();
        assertThat(lock.owner()).map(Holder::state).contains(Holder.State.RELEASED);
        assertThat(lock.revoke()).isTrue();
    }

    private static void assertReleased(RedisLock lock) {
        assertThat(lock.owner()).isEmpty();
        assertThat(lock.waiters()).isEmpty();
    }

    private static void mustNotRun() {
        throw new AssertionError("The action must not run");
    }

    private static Uni<String> mustNotRunUni() {
        throw new AssertionError("The action must not run");
    }
}
