package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

/** Defects of the reference semaphores, each in one interleaving, beside those that {@link OverAdmissionTest} measures. */
class ReferenceSemaphoresTest {

    private static final ReferenceSpec ONE_PERMIT = new ReferenceSpec("market", 1, 10_000);

    private final TestRedis redis = new TestRedis();
    private final List<BlockingRedis> connections = new ArrayList<>();

    @AfterEach
    void stop() {
        connections.forEach(BlockingRedis::close);
        redis.close();
    }

    private ReferenceClient client(long aheadMillis, Checkpoint checkpoint) {
        BlockingRedis connection = new BlockingRedis(redis.vertx(), redis.port());
        connections.add(connection);
        return new ReferenceClient(connection, () -> System.currentTimeMillis() + aheadMillis, checkpoint);
    }

    static Stream<BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore>> kinds() {
        return Stream.of(BasicSemaphore::new, FairSemaphore::new, LockedSemaphore::new);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void fastClockRemovesLivePermits(BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind) {
        ReferenceSemaphore exact = kind.apply(client(0, Checkpoint.NONE), ONE_PERMIT);
        ReferenceSemaphore fast = kind.apply(client(3_600_000, Checkpoint.NONE), ONE_PERMIT);
        String held = exact.acquire().orElseThrow();

        assertThat(fast.acquire()).as("the second holder of the only permit").isPresent();
        assertThat(exact.release(held)).as("the first holder notices the loss at its release").isFalse();
    }

    @Test
    void lockedAdmitsAPausedClientBeyondTheLimit() throws Exception {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        CompletableFuture<Void> open = new CompletableFuture<>();
        LockedSemaphore paused = new LockedSemaphore(client(0, next -> {
            if (next == RoundTrip.JOIN) {
                reached.complete(null);
                open.orTimeout(20, TimeUnit.SECONDS).join();
            }
        }), ONE_PERMIT);
        LockedSemaphore other = new LockedSemaphore(client(0, Checkpoint.NONE), ONE_PERMIT);

        CompletableFuture<Optional<String>> first = CompletableFuture.supplyAsync(paused::acquire);
        reached.get(20, TimeUnit.SECONDS);
        assertThat(redis.command("PEXPIRE", BookLock.keyOf("market"), 0).toInteger()).isEqualTo(1);
        String held = other.acquire().orElseThrow();
        open.complete(null);

        assertThat(first.get(20, TimeUnit.SECONDS)).as("the second holder of the only permit").isPresent();
        assertThat(redis.command("ZSCORE", "market:owner", held)).as("the other permit is still held").isNotNull();
    }
}
