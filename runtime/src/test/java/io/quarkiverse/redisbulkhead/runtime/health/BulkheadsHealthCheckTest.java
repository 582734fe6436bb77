package io.quarkiverse.redisbulkhead.runtime.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.health.BulkheadsHealthCheck.RedisState;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.smallrye.mutiny.Uni;

class BulkheadsHealthCheckTest {

    private static final ShareOverview NOTHING = new ShareOverview(0, 0, OptionalInt.empty(), new TreeSet<>(), List.of(),
            List.of());
    private static final RuntimeException LOST = new StoreException(Kind.TRANSIENT, "the connection was lost");

    /** A wrong password or a missing permission is not reported as an outage. */
    @Test
    void refusalIsNotReportedAsAway() {
        assertThat(redis(new StoreException("Redis answered: NOPERM", null))).isEqualTo(RedisState.REFUSES);
    }

    /** With store=lock: Redis replies, so a busy application stays ready. */
    @Test
    void contentionIsNotAnOutage() {
        assertThat(redis(new StoreException(Kind.CONTENDED, "busy"))).isEqualTo(RedisState.ANSWERS);
    }

    /** As with any failing check. */
    @Test
    void otherFailuresFailTheCheck() {
        assertThatThrownBy(() -> redis(new IllegalStateException("a mistake"))).hasStackTraceContaining("a mistake");
    }

    /** A connection that was lost is no answer, so the check asks again. */
    @Test
    void answerAfterALostConnectionCounts() {
        Deque<CompletableFuture<ShareOverview>> replies = new ArrayDeque<>(
                List.of(CompletableFuture.failedFuture(LOST), CompletableFuture.failedFuture(LOST),
                        CompletableFuture.completedFuture(NOTHING)));

        assertThat(redis(replies::remove)).isEqualTo(RedisState.ANSWERS);
    }

    @Test
    void redisThatLosesAllConnectionsIsAway() {
        assertThat(redis(LOST)).isEqualTo(RedisState.AWAY);
    }

    /** Trap 33: a pause of the process is not an outage of Redis. */
    @Test
    void replyReadAfterAPauseCounts() {
        CompletableFuture<ShareOverview> reply = new CompletableFuture<>();
        List<Runnable> due = new ArrayList<>();
        CompletableFuture<RedisState> state = check(() -> reply, new RealTimers() {

            @Override
            public Planned after(Duration delay, Runnable task) {
                due.add(task);
                return () -> {
                };
            }
        }).redis();
        for (int timer = 0; timer < due.size() && timer < 9; timer++) {
            due.get(timer).run();
        }
        assertThat(state).isNotDone();
        reply.complete(NOTHING);
        assertThat(state).isCompletedWithValue(RedisState.ANSWERS);
        assertThat(due).hasSize(10);
    }

    private static RedisState redis(RuntimeException failure) {
        return redis(CompletableFuture.failedFuture(failure));
    }

    private static RedisState redis(CompletableFuture<ShareOverview> reply) {
        return redis(() -> reply);
    }

    private static RedisState redis(Supplier<CompletableFuture<ShareOverview>> replies) {
        return Uni.createFrom().completionStage(check(replies, new RealTimers()).redis()).await()
                .atMost(Duration.ofSeconds(60));
    }

    private static BulkheadsHealthCheck check(Supplier<CompletableFuture<ShareOverview>> replies, Timers timers) {
        ShareStore store = new ObservedShareStore(new InMemoryShareStore(1).connect("one"),
                (operation, time, failure) -> {
                }) {

            @Override
            public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
                return replies.get();
            }
        };
        Engine engine = new Engine("one", store, null, new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
        }, new WaiterLimits(Integer.MAX_VALUE), Duration.ofSeconds(1));
        return new BulkheadsHealthCheck(
                new Overview(Map.of(), name -> Optional.empty(), List::of, name -> null, () -> engine, System::nanoTime),
                StoreKind.SCRIPT, Duration.ofMillis(200), timers);
    }
}
