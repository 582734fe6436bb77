package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.vertx.redis.client.RedisOptions;

/** A Redis user with only the documented permissions, on one server and in a cluster. */
@ParameterizedClass
@EnumSource(TestStore.class)
class LeastPrivilegeTest {

    /** Called only after losing a race, to check that a server accepts writes, or where a failover may have passed. */
    static final Set<String> RARE = Set.of("unwatch", "set", "info");

    @Parameter
    TestStore kind;

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void everythingWorks(boolean fair) {
        try (TestRedis redis = new TestRedis();
                TestProcess process = new TestProcess(redis, kind, redis.restrictedOptions(kind))) {
            everythingWorks(process, "reports", fair);
            assertThat(get(process.store.inUse(10)).incomplete()).isEmpty();
            assertThat(called(redis)).as("every permission is needed").containsAll(kind.commands().stream()
                    .filter(command -> !RARE.contains(command)).toList());
        }
    }

    /** Trap 23: bulkheads on all nodes. */
    @Test
    void everythingWorksOnEachNodeOfACluster() {
        try (TestCluster cluster = new TestCluster()) {
            RedisOptions options = cluster.restrictedOptions(kind);
            List<String> withADeadSeed = new ArrayList<>(options.getEndpoints());
            withADeadSeed.add(0, "redis://bulkhead:secret@127.0.0.1:" + TestRedis.freePort());
            try (TestProcess process = new TestProcess(cluster.node(), kind, options.setEndpoints(withADeadSeed))) {
                for (int i = 0; i < 20; i++) {
                    everythingWorks(process, "reports " + i, i % 2 == 0);
                }
                assertThat(get(process.store.inUse(10)).incomplete()).hasValueSatisfying(
                        reason -> assertThat(reason).contains("Redis Cluster"));
                assertThat(cluster.keys()).as("each node holds keys").doesNotContain(0);
            }
        }
    }

    private static void everythingWorks(TestProcess process, String name, boolean fair) {
        Semaphore semaphore = process.semaphore(SemaphoreSpec.named(name).permits(1).fair(fair)
                .maxWait(Duration.ofMinutes(1)).expire(Duration.ofMinutes(1)).build());
        get(get(semaphore.admit("A#a").granted()).get(0).release());
        HeldPermit held = get(semaphore.admit("A#a").granted()).get(0);
        Admission waiter = semaphore.admit("A#b");
        get(waiter.attempted());
        // After a pause of this process, the waiter has no place until its next poll.
        await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(() -> get(semaphore.status()).waiting() == 1);
        assertThat(get(semaphore.holders())).hasSize(1);
        assertThat(get(held.refresh())).isTrue();
        get(semaphore.resize(1));
        assertThat(get(semaphore.resetSize())).isTrue();
        assertThat(get(held.release())).isTrue();

        HeldPermit next = get(waiter.granted()).get(0);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        HeldPermit attached = get(semaphore.attach(get(next.detach()), "A#c"));
        assertThat(get(semaphore.revoke(attached.id()))).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> !attached.isHeld());
        get(waiter.end());
        assertThat(get(semaphore.status()).inUse()).isZero();
    }

    private static Set<String> called(TestRedis redis) {
        return redis.command("INFO", "commandstats").toString().lines().filter(line -> line.startsWith("cmdstat_"))
                .map(line -> line.substring("cmdstat_".length(), line.indexOf(':')).replaceAll("\\|.*", ""))
                .collect(Collectors.toSet());
    }
}
