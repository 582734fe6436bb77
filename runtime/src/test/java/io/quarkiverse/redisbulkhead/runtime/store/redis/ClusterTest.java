package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Trap 23: bulkheads on all nodes of a Redis Cluster. */
@ParameterizedClass
@EnumSource(TestStore.class)
class ClusterTest {

    static TestCluster cluster;

    @Parameter
    TestStore kind;

    @BeforeAll
    static void start() {
        cluster = new TestCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void bulkheadsWorkOnEachNode() throws Exception {
        RedisOptions options = cluster.restrictedOptions(kind);
        List<String> withADeadSeed = new ArrayList<>(options.getEndpoints());
        withADeadSeed.add(0, "redis://bulkhead:secret@127.0.0.1:" + TestRedis.freePort());
        options.setEndpoints(withADeadSeed);
        try (TestProcess process = new TestProcess(cluster.node(), kind, options)) {
            for (int i = 0; i < 20; i++) {
                everythingWorks(process, SemaphoreSpec.named(kind + " " + i).permits(1).fair(i % 2 == 0)
                        .maxWait(Duration.ofMinutes(1)).build());
            }
            assertThat(get(process.store.inUse(10, Set.of())).incomplete()).hasValueSatisfying(
                    reason -> assertThat(reason).contains("Redis Cluster"));
            assertThat(cluster.keys()).as("each node holds keys").doesNotContain(0);
        }
    }

    private static void everythingWorks(TestProcess process, SemaphoreSpec spec) throws Exception {
        Semaphore semaphore = process.semaphore(spec);
        HeldPermit held = get(semaphore.admit("A#a").granted()).get(0);
        Admission waiter = semaphore.admit("A#b");
        get(waiter.attempted());
        assertThat(get(semaphore.holders())).hasSize(1);
        // After a pause of this process, the waiter has no place until its next poll.
        await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(() -> get(semaphore.waiters()).size() == 1);
        assertThat(get(held.refresh())).isTrue();
        get(semaphore.resize(1));
        assertThat(get(semaphore.resetSize())).isTrue();

        assertThat(get(held.release())).isTrue();
        HeldPermit next = get(waiter.granted()).get(0);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(get(semaphore.revoke(next.id()))).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> !next.isHeld());
        get(waiter.end());
        assertThat(get(semaphore.status()).inUse()).isZero();
    }
}
