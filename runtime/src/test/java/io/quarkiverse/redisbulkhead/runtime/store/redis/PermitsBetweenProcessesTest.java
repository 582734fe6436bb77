package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;

/** Permits that one process detaches and another attaches, over a real Redis, with processes that die in between. */
@ParameterizedClass
@EnumSource(TestStore.class)
class PermitsBetweenProcessesTest {

    private static final SemaphoreSpec LONG = SemaphoreSpec.named("reports").permits(1).expire(Duration.ofMinutes(1)).build();
    private static final SemaphoreSpec SHORT = LONG.toBuilder().expire(Duration.ofSeconds(2)).maxWait(Duration.ofMinutes(1))
            .build();
    private static final SemaphoreSpec PATIENT = LONG.toBuilder().maxWait(Duration.ofMinutes(1)).build();

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
        Stream.of(first, second, third).forEach(TestProcess::close);
        redis.close();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static HeldPermit acquire(TestProcess process, SemaphoreSpec spec) throws Exception {
        return get(process.semaphore(spec).admit("Test#acquire").granted()).get(0);
    }

    private static void assertFull(TestProcess process) {
        assertThatThrownBy(() -> acquire(process, LONG)).cause().isInstanceOf(BulkheadFullException.class);
    }

    private static void assertGone(Semaphore semaphore, String token) {
        assertThatThrownBy(() -> get(semaphore.attach(token, "Test#attach"))).isInstanceOf(ExecutionException.class).cause()
                .isInstanceOf(PermitGoneException.class);
    }

    @Test
    void detachedPermitSurvivesItsProcess() throws Exception {
        HeldPermit detached = acquire(first, LONG);
        String token = get(detached.detach());
        first.close();
        assertThat(get(second.semaphore(LONG).holders())).extracting(Holder::state).containsExactly(Holder.State.DETACHED);
        assertFull(third);

        HeldPermit attached = get(second.semaphore(LONG).attach(token, "Test#attach"));

        assertThat(attached.isHeld()).isTrue();
        assertThat(attached.fencingToken()).isGreaterThan(detached.fencingToken());
        // An instance that takes long to answer is shown as silent.
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(get(third.semaphore(LONG).holders())).singleElement().satisfies(holder -> {
                    assertThat(holder.state()).isEqualTo(Holder.State.HELD);
                    assertThat(holder.permitId()).isEqualTo(attached.id());
                    assertThat(holder.method()).isEqualTo("Test#attach");
                }));
        assertFull(third);
        assertThat(get(attached.release())).isTrue();
        assertThat(acquire(third, LONG).isHeld()).isTrue();
    }

    @Test
    @DisplayName("Trap 3: the process that attached a permit may die, too")
    void permitOfADeadAttachingProcessExpires() throws Exception {
        String token = get(acquire(first, SHORT).detach());
        get(second.semaphore(SHORT).attach(token, "Test#attach"));
        second.close();

        assertThat(acquire(third, PATIENT).isHeld()).isTrue();
        assertGone(first.semaphore(SHORT), token);
    }

    @Test
    void onlyOneOfTwoAttachesSucceeds() throws Exception {
        for (int i = 0; i < 20; i++) {
            String token = get(acquire(first, LONG).detach());
            List<CompletionStage<HeldPermit>> both = Stream.of(second, third)
                    .map(process -> process.semaphore(LONG).attach(token, "Test#attach")).toList();

            int winners = 0;
            for (CompletionStage<HeldPermit> each : both) {
                try {
                    get(get(each).release());
                    winners++;
                } catch (ExecutionException e) {
                    assertThat(e).cause().isInstanceOf(PermitGoneException.class);
                }
            }
            assertThat(winners).isEqualTo(1);
        }
    }

    /** Operators see the permit id; the token cannot be derived from it. */
    @Test
    void permitIdAloneDoesNotAttach() throws Exception {
        HeldPermit permit = acquire(first, LONG);
        String token = get(permit.detach());

        assertGone(second.semaphore(LONG), permit.id() + "." + "0".repeat(32));

        assertThat(redis.command("HGETALL", "test:{reports}:shares").toString())
                .doesNotContain(token.substring(token.lastIndexOf('.') + 1)).contains(permit.id());
        get(get(second.semaphore(LONG).attach(token, "Test#attach")).release());
    }
}
