package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.reference.BasicSemaphore;
import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.quarkiverse.redisbulkhead.reference.BookLock;
import io.quarkiverse.redisbulkhead.reference.Checkpoint;
import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import io.quarkiverse.redisbulkhead.reference.RoundTrip;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.vertx.redis.client.Response;

/** The defects of the reference semaphores, each in one interleaving. */
class ReferenceSemaphoresTest {

    static final String NAME = "market";
    static final long TIMEOUT_MILLIS = 10_000;
    static final ReferenceSpec ONE_PERMIT = new ReferenceSpec(NAME, 1, TIMEOUT_MILLIS);
    static final ReferenceSpec TWO_PERMITS = new ReferenceSpec(NAME, 2, TIMEOUT_MILLIS);

    static final long NOON = 1_700_000_000_000L;
    static final long HOUR = 3_600_000;

    static TestRedis redis;

    final List<BlockingRedis> connections = new ArrayList<>();

    @BeforeAll
    static void startRedis() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void forgetAll() {
        redis.command("FLUSHALL");
    }

    @AfterEach
    void disconnect() {
        connections.forEach(BlockingRedis::close);
    }

    private enum Kind implements BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> {
        BASIC(BasicSemaphore::new),
        FAIR(FairSemaphore::new),
        LOCKED(LockedSemaphore::new);

        private final BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> constructor;

        Kind(BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> constructor) {
            this.constructor = constructor;
        }

        @Override
        public ReferenceSemaphore apply(ReferenceClient client, ReferenceSpec spec) {
            return constructor.apply(client, spec);
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsTheLimitWithOneClockAndSequentialCallers(Kind kind) {
        ReferenceSemaphore first = kind.apply(new ReferenceClient(connect(), System::currentTimeMillis, Checkpoint.NONE),
                TWO_PERMITS);
        String held = first.acquire().orElseThrow();
        assertThat(first.acquire()).isPresent();
        // Basic orders callers of the same millisecond by identifier, so the third caller comes later.
        ReferenceSemaphore later = kind.apply(
                new ReferenceClient(connect(), () -> System.currentTimeMillis() + 1_000, Checkpoint.NONE), TWO_PERMITS);
        assertThat(later.acquire()).isEmpty();
        assertThat(first.release(held)).isTrue();
        assertThat(first.release(held)).isFalse();
        assertThat(later.acquire()).isPresent();
    }

    @Test
    void basicAdmitsASlowClockBeyondTheLimit() {
        BasicSemaphore exact = new BasicSemaphore(clientAt(NOON), ONE_PERMIT);
        BasicSemaphore slow = new BasicSemaphore(clientAt(NOON - 50), ONE_PERMIT);

        String held = exact.acquire().orElseThrow();

        assertThat(slow.acquire()).as("the second holder of the only permit").isPresent();
        assertThat(exact.release(held)).as("the first holder still has it").isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void fastClockRemovesLivePermits(Kind kind) {
        ReferenceSemaphore exact = kind.apply(clientNow(Checkpoint.NONE), ONE_PERMIT);
        ReferenceSemaphore fast = kind.apply(
                new ReferenceClient(connect(), () -> System.currentTimeMillis() + HOUR, Checkpoint.NONE), ONE_PERMIT);

        String held = exact.acquire().orElseThrow();

        assertThat(fast.acquire()).as("the second holder of the only permit").isPresent();
        assertThat(exact.release(held)).as("the first holder notices the loss at its release").isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = { "BASIC", "FAIR" })
    void rejectsFreePermitsWhileAnotherGivesUp(Kind kind) throws Exception {
        Gate gate = new Gate(RoundTrip.GIVE_UP);
        ReferenceSemaphore holder = kind.apply(clientAt(NOON), ONE_PERMIT);
        ReferenceSemaphore second = kind.apply(new ReferenceClient(connect(), () -> NOON + 1, gate), ONE_PERMIT);
        ReferenceSemaphore third = kind.apply(clientAt(NOON + 2), ONE_PERMIT);
        String held = holder.acquire().orElseThrow();

        CompletableFuture<Optional<String>> rejected = CompletableFuture.supplyAsync(second::acquire);
        gate.awaitReached();
        assertThat(holder.release(held)).isTrue();
        Optional<String> behind = third.acquire();
        gate.open();

        assertThat(rejected.get(20, TimeUnit.SECONDS)).isEmpty();
        assertThat(behind).as("no holder").isEmpty();
    }

    @Test
    void fairAdmitsBeyondTheLimitAClientThatGotItsNumberFirstAndJoinsLast() throws Exception {
        Gate gate = new Gate(RoundTrip.JOIN);
        FairSemaphore early = new FairSemaphore(new ReferenceClient(connect(), () -> NOON, gate), ONE_PERMIT);
        FairSemaphore late = new FairSemaphore(clientAt(NOON), ONE_PERMIT);

        CompletableFuture<Optional<String>> first = CompletableFuture.supplyAsync(early::acquire);
        gate.awaitReached();
        String held = late.acquire().orElseThrow();
        gate.open();

        assertThat(first.get(20, TimeUnit.SECONDS)).as("the second holder of the only permit").isPresent();
        assertThat(late.refresh(held)).as("the other permit is still held").isTrue();
    }

    @Test
    void lockedRejectsFreePermitsWhileTheLockIsHeld() throws Exception {
        Gate gate = new Gate(RoundTrip.DRAW_NUMBER);
        LockedSemaphore slow = new LockedSemaphore(clientNow(gate), TWO_PERMITS);
        LockedSemaphore other = new LockedSemaphore(clientNow(Checkpoint.NONE), TWO_PERMITS);

        CompletableFuture<Optional<String>> first = CompletableFuture.supplyAsync(slow::acquire);
        gate.awaitReached();
        Optional<String> second = other.acquire();
        long held = redis.command("ZCARD", NAME + ":owner").toLong();
        gate.open();

        assertThat(second).isEmpty();
        assertThat(held).as("permits held at the rejection").isZero();
        assertThat(other.rejectedUnseen()).isEqualTo(1);
        assertThat(first.get(20, TimeUnit.SECONDS)).isPresent();
        assertThat(other.acquire()).as("the same request, a moment later").isPresent();
    }

    @Test
    void lockedAdmitsAPausedClientBeyondTheLimit() throws Exception {
        Gate gate = new Gate(RoundTrip.JOIN);
        LockedSemaphore paused = new LockedSemaphore(clientNow(gate), ONE_PERMIT);
        LockedSemaphore other = new LockedSemaphore(clientNow(Checkpoint.NONE), ONE_PERMIT);

        CompletableFuture<Optional<String>> first = CompletableFuture.supplyAsync(paused::acquire);
        gate.awaitReached();
        expireLock();
        String held = other.acquire().orElseThrow();
        gate.open();

        assertThat(first.get(20, TimeUnit.SECONDS)).as("the second holder of the only permit").isPresent();
        assertThat(owns(held)).isTrue();
    }

    /** Expires the lock. */
    private static void expireLock() {
        assertThat(redis.command("PEXPIRE", BookLock.keyOf(NAME), 0).toInteger()).isEqualTo(1);
    }

    private static boolean owns(String identifier) {
        Response number = redis.command("ZSCORE", NAME + ":owner", identifier);
        return number != null;
    }

    /** A client whose clock stands still. */
    private ReferenceClient clientAt(long millis) {
        return new ReferenceClient(connect(), () -> millis, Checkpoint.NONE);
    }

    private ReferenceClient clientNow(Checkpoint checkpoint) {
        return new ReferenceClient(connect(), System::currentTimeMillis, checkpoint);
    }

    private BlockingRedis connect() {
        BlockingRedis connection = new BlockingRedis(redis.vertx(), redis.port());
        connections.add(connection);
        return connection;
    }

    /** Stops a client before one of its round trips until the test opens the gate. */
    private static final class Gate implements Checkpoint {

        private final RoundTrip held;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch open = new CountDownLatch(1);

        Gate(RoundTrip held) {
            this.held = held;
        }

        @Override
        public void before(RoundTrip next) {
            if (next == held) {
                reached.countDown();
                await(open);
            }
        }

        void awaitReached() {
            await(reached);
        }

        void open() {
            open.countDown();
        }

        private static void await(CountDownLatch latch) {
            try {
                if (!latch.await(20, TimeUnit.SECONDS)) {
                    throw new AssertionError("No client arrived");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
