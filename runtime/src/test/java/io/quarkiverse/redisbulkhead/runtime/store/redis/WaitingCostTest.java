package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.vertx.redis.client.Redis;

/** The number of commands that waiting costs. A script, or a step under the lock, counts once. */
@ParameterizedClass
@EnumSource(TestStore.class)
class WaitingCostTest {

    /** With the holder, the maximum of the lock store. */
    static final int WAITERS = 999;

    /** Each is a call or ends a step. */
    static final Set<String> COUNTED = Set.of("eval", "evalsha", "exec");

    @Parameter
    TestStore kind;

    TestRedis redis;
    /** A permanent client, because handshakes would count. */
    Redis inspector;
    TestProcess first;
    TestProcess second;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        inspector = redis.newClient();
        first = new TestProcess(redis, kind);
        second = new TestProcess(redis, kind);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        inspector.close();
        redis.close();
    }

    /** Trap 11, Trap 13, Trap 26: 999 waiters of two processes wait for five seconds and are then served one by one. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void waitingAndServingCostFewCommands(boolean fair) throws Exception {
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(1).fair(fair).maxWait(Duration.ofMinutes(10)).build();
        HeldPermit held = first.semaphore(spec).admit("Holder#hold").granted().toCompletableFuture().get(10, TimeUnit.SECONDS)
                .get(0);
        long before = commands();
        List<Long> served = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Long> times = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < WAITERS; i++) {
            Admission admission = (i % 2 == 0 ? first : second).semaphore(spec).admit("Waiter#wait");
            admission.granted().thenAccept(permits -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                served.add(permits.get(0).fencingToken());
                times.add(System.nanoTime());
                running.decrementAndGet();
                admission.end();
            });
        }
        await().atMost(2, TimeUnit.MINUTES).until(() -> waiting() == WAITERS);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        await().atMost(20, TimeUnit.SECONDS).until(() -> System.nanoTime() - end > 0);

        long waitingCost = commands() - before;
        assertThat(waitingCost).as("%d waiters for five seconds, their requests included", WAITERS).isLessThan(3 * WAITERS / 2);
        assertThat(served).isEmpty();

        before = commands();
        times.add(System.nanoTime());
        held.release();
        await().atMost(5, TimeUnit.MINUTES).until(() -> served.size() == WAITERS);
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> redis.command(inspector, "EXISTS", "test:{reports}:holders").toInteger() == 0);

        long servingCost = commands() - before;
        assertThat(servingCost).as("commands to serve them").isLessThanOrEqualTo(4 * WAITERS);
        assertThat(most).as("at once").hasValue(1);
        if (fair) {
            assertThat(served).as("in the order of their requests").isSorted();
        }
        assertThat(served).doesNotHaveDuplicates();
        assertThat(waiting()).isZero();
        // A permit is handed over and released between two grants. If the machine pauses for longer than the first lease, the
        // permit is rightly lost.
        if (longestGap(times).compareTo(PermitStore.FIRST_LEASE.dividedBy(2).minusMillis(100)) < 0) {
            assertThat(first.losses).isEmpty();
            assertThat(second.losses).isEmpty();
        }
    }

    /** The longest time between two consecutive grants, or the last one and now. */
    private static Duration longestGap(List<Long> times) {
        List<Long> all = new ArrayList<>(times);
        all.add(System.nanoTime());
        Collections.sort(all);
        return Duration.ofNanos(IntStream.range(1, all.size()).mapToLong(i -> all.get(i) - all.get(i - 1)).max().orElseThrow());
    }

    private int waiting() {
        return redis.command(inspector, "ZCARD", "test:{reports}:queue").toInteger()
                + redis.command(inspector, "ZCARD", "test:{reports}:standby").toInteger();
    }

    private long commands() {
        Set<String> inside = Set.copyOf(kind.commands());
        return redis.command(inspector, "INFO", "commandstats").toString().lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .filter(line -> {
                    String name = line.substring("cmdstat_".length(), line.indexOf(':')).replaceAll("\\|.*", "");
                    return COUNTED.contains(name) || !inside.contains(name) && !Set.of("info", "exists").contains(name);
                })
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*[:,]calls=(\\d+).*", "$1")))
                .sum();
    }
}
