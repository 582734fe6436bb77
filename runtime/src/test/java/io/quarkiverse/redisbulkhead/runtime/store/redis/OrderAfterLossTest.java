package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/** Fair waiters of two processes while Redis loses all data. */
@ParameterizedClass
@EnumSource(TestStore.class)
class OrderAfterLossTest {

    static final int WAITERS = 20;

    @Parameter
    TestStore kind;

    TestRedis redis;
    TestProcess first;
    TestProcess second;
    TestProcess third;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        first = new TestProcess(redis, kind);
        second = new TestProcess(redis, kind);
        third = new TestProcess(redis, kind);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        third.close();
        redis.close();
    }

    /**
     * Guarantee 5, Guarantee 7: all waiters queue again and are served in their old order, whichever process is faster, and
     * fencing tokens increase. Another caller holds the permit until they have queued.
     */
    @Test
    void fairOrderSurvivesALossOfAllData() throws Exception {
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(1).fair(true).expire(Duration.ofMinutes(1))
                .maxWait(Duration.ofMinutes(5)).build();
        HeldPermit held = first.semaphore(spec).admit("Holder#hold").granted().toCompletableFuture().get(30, TimeUnit.SECONDS)
                .get(0);
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < WAITERS; i++) {
            int number = i;
            Admission admission = (i % 2 == 0 ? first : second).semaphore(spec).admit("Waiter#wait");
            admission.attempted().toCompletableFuture().get(30, TimeUnit.SECONDS);
            admission.granted().thenAccept(permits -> {
                served.add(number);
                tokens.add(permits.get(0).fencingToken());
                admission.end();
            });
        }
        List<Admission> newcomers = new ArrayList<>();

        // Repeats if an instance states its position before the newcomer asks.
        await().pollDelay(Duration.ZERO).atMost(60, TimeUnit.SECONDS).until(() -> {
            redis.command("FLUSHALL");
            Admission newcomer = third.semaphore(spec.toBuilder().maxWait(Duration.ZERO).build()).admit("Newcomer#hold");
            newcomers.add(newcomer);
            return newcomer.granted().handle((permits, failure) -> failure == null).toCompletableFuture().get(30,
                    TimeUnit.SECONDS);
        });
        held.release();
        await().atMost(60, TimeUnit.SECONDS).until(() -> third.semaphore(spec).status().toCompletableFuture()
                .get(30, TimeUnit.SECONDS).waiting() == WAITERS);
        assertThat(served).isEmpty();
        newcomers.forEach(Admission::end);

        await().atMost(60, TimeUnit.SECONDS).until(() -> served.size() == WAITERS);
        assertThat(served).containsExactlyElementsOf(IntStream.range(0, WAITERS).boxed().toList());
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.get(0)).isGreaterThan(held.fencingToken());
    }
}
