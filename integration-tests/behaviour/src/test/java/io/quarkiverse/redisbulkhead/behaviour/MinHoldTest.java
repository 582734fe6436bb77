package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.junit.QuarkusTest;

/** A minimum hold: a permit that is released earlier stays held. */
@QuarkusTest
class MinHoldTest {

    @Inject
    Job job;

    @Inject
    RedisBulkheads bulkheads;

    /** As if the clock of a second instance were behind. */
    @Test
    void jobRunsOncePerTick() {
        RedisSemaphore semaphore = bulkheads.semaphore("job");
        assertThat(semaphore.spec().minHold()).hasSeconds(25);
        assertThat(job.run()).isEqualTo(1);

        assertThatThrownBy(job::run).isInstanceOf(BulkheadFullException.class);

        Holder released = semaphore.holders().get(0);
        assertThat(released.state()).isEqualTo(Holder.State.RELEASED);
        assertThat(released.until()).isCloseTo(released.since().plusSeconds(25), within(1, ChronoUnit.MILLIS));
        assertThat(semaphore.status().inUse()).isEqualTo(1);
        assertThat(semaphore.revoke(released.permitId())).isTrue();
        assertThat(job.run()).as("an operator revokes it to run the job again").isEqualTo(2);
    }

    @Test
    void waiterRunsAfterTheMinimumHold() {
        long begin = System.nanoTime();
        job.runPatiently();
        job.runPatiently();

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void lockStaysHeld() {
        RedisLock lock = bulkheads.lock("nightly");
        assertThat(lock.spec().minHold()).hasSeconds(25);
        lock.lock().close();
        assertThat(lock.tryLock()).isEmpty();
        assertThat(lock.owner()).map(Holder::state).contains(Holder.State.RELEASED);
        assertThat(lock.revoke()).isTrue();

        RedisLock inCode = bulkheads.lock(LockSpec.named("hourly").minHold(Duration.ofSeconds(20)).build());
        inCode.run(() -> {
        });
        assertThat(inCode.tryLock()).isEmpty();
    }

    @ApplicationScoped
    static class Job {

        private final AtomicInteger runs = new AtomicInteger();

        @RedisBulkhead(name = "job", permits = 1)
        int run() {
            return runs.incrementAndGet();
        }

        @RedisBulkhead(name = "patient-job", permits = 1, maxWait = "30s", fair = true)
        void runPatiently() {
        }
    }
}
