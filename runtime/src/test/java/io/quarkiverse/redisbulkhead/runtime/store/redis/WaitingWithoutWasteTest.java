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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;

/** How many commands waiting costs. A script, or a step under the lock, counts once, whatever it calls inside. */
@ParameterizedClass
@EnumSource(TestStore.class)
class WaitingWithoutWasteTest {

    /** With the holder, as many as the store with the lock takes. */
    static final int WAITERS = 999;

    /** Each of them is a call, or ends a step. */
    static final Set<String> COUNTED = Set.of("eval", "evalsha", "exec");

    @Parameter
    TestStore kind;

    TestRedis redis;
    TestProcess first;
    TestProcess second;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        first = new TestProcess(redis, kind);
        second = new TestProcess(redis, kind);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        redis.close();
    }

    /**
     * Trap 11, Trap 13, Trap 26: almost a thousand waiters of two processes wait for five seconds and are then served one by
     * one.
     */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void waitersCostLittleAndAreServedByFewCommands(boolean fair) throws Exception {
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(1).fair(fair).maxWait(Duration.ofMinutes(10)).build();
        HeldPermit held = first.semaphore(spec).admit("Holder#hold").granted().toCompletableFuture().get(10, TimeUnit.SECONDS)
                .get(0);
        long before = commands();
        List<Long> served = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int i = 0; i < WAITERS; i++) {
            Admission admission = (i % 2 == 0 ? first : second).semaphore(spec).admit("Waiter#wait");
            admission.granted().thenAccept(permits -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                served.add(permits.get(0).fencingToken());
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
        held.release();
        await().atMost(5, TimeUnit.MINUTES).until(() -> served.size() == WAITERS);
        await().atMost(60, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", "test:{reports}:holders").toInteger() == 0);

        long servingCost = commands() - before;
        assertThat(servingCost).as("commands to serve them").isLessThanOrEqualTo(4 * WAITERS);
        assertThat(most).as("at once").hasValue(1);
        if (fair) {
            assertThat(served).as("in the order of their requests").isSorted();
        }
        assertThat(served).doesNotHaveDuplicates();
        assertThat(waiting()).isZero();
        assertThat(first.losses).isEmpty();
        assertThat(second.losses).isEmpty();
    }

    private int waiting() {
        return redis.command("ZCARD", "test:{reports}:queue").toInteger()
                + redis.command("ZCARD", "test:{reports}:standby").toInteger();
    }

    private long commands() {
        Set<String> inside = Set.copyOf(kind.commands());
        return redis.command("INFO", "commandstats").toString().lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .filter(line -> {
                    String name = line.substring("cmdstat_".length(), line.indexOf(':')).replaceAll("\\|.*", "");
                    return COUNTED.contains(name) || !inside.contains(name) && !Set.of("info", "exists").contains(name);
                })
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*[:,]calls=(\\d+).*", "$1")))
                .sum();
    }
}
