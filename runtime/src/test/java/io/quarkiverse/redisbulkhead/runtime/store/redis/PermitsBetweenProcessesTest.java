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
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/** Permits that one process detaches and another one attaches, over a real Redis, and processes that die between the two. */
@ParameterizedClass
@EnumSource(TestStore.class)
class PermitsBetweenProcessesTest {

    private static final SemaphoreSpec LONG = SemaphoreSpec.named("reports").permits(1).expire(Duration.ofMinutes(1)).build();
    private static final SemaphoreSpec SHORT = LONG.toBuilder().expire(Duration.ofSeconds(2)).maxWait(Duration.ofMinutes(1))
            .build();
    private static final SemaphoreSpec PATIENT = LONG.toBuilder().maxWait(Duration.ofMinutes(1)).build();
    // With what is left of the lease after a third, the process may pause for some seconds before a renewal.
    private static final SemaphoreSpec RENEWED = LONG.toBuilder().expire(Duration.ofSeconds(9)).build();

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

    private static HeldPermit take(TestProcess process, SemaphoreSpec spec) throws Exception {
        return get(process.semaphore(spec).admit("Test#take").granted()).get(0);
    }

    private static void assertFull(TestProcess process) {
        assertThatThrownBy(() -> take(process, LONG)).cause().isInstanceOf(BulkheadFullException.class);
    }

    private static void assertGone(Semaphore semaphore, String token) {
        assertThatThrownBy(() -> get(semaphore.attach(token, "Test#attach"))).isInstanceOf(ExecutionException.class).cause()
                .isInstanceOf(PermitGoneException.class);
    }

    @Test
    void theProcessThatDetachedMayDie() throws Exception {
        HeldPermit detached = take(first, LONG);
        String token = get(detached.detach());
        first.close();
        assertThat(get(second.semaphore(LONG).holders())).extracting(Holder::state).containsExactly(Holder.State.DETACHED);
        assertFull(third);

        HeldPermit attached = get(second.semaphore(LONG).attach(token, "Test#attach"));

        assertThat(attached.isHeld()).isTrue();
        assertThat(attached.fencingToken()).isGreaterThan(detached.fencingToken());
        assertThat(get(third.semaphore(LONG).holders())).singleElement().satisfies(holder -> {
            assertThat(holder.state()).isEqualTo(Holder.State.HELD);
            assertThat(holder.permitId()).isEqualTo(attached.id());
            assertThat(holder.method()).isEqualTo("Test#attach");
        });
        assertFull(third);
        assertThat(get(attached.release())).isTrue();
        assertThat(take(third, LONG).isHeld()).isTrue();
    }

    @Test
    @DisplayName("Guarantee 2: a permit that is not attached is free after one lease")
    void aPermitThatIsNotAttachedIsFree() throws Exception {
        String token = get(take(first, SHORT).detach());
        first.close();

        assertThat(take(third, PATIENT).isHeld()).isTrue();

        assertGone(second.semaphore(SHORT), token);
    }

    @Test
    @DisplayName("Trap 3: the process that has attached a permit may die, too")
    void theProcessThatAttachedMayDie() throws Exception {
        String token = get(take(first, SHORT).detach());
        get(second.semaphore(SHORT).attach(token, "Test#attach"));
        second.close();

        assertThat(take(third, PATIENT).isHeld()).isTrue();
        assertGone(first.semaphore(SHORT), token);
    }

    @Test
    void anAttachedPermitIsRenewed() throws Exception {
        HeldPermit attached = get(second.semaphore(RENEWED).attach(get(take(first, RENEWED).detach()), "Test#attach"));
        Holder before = get(second.semaphore(RENEWED).holders()).get(0);

        await().atMost(Duration.ofSeconds(30)).untilAsserted(
                () -> assertThat(get(third.semaphore(SHORT).holders())).extracting(Holder::until).singleElement()
                        .satisfies(end -> assertThat(end).isAfter(before.until().plusSeconds(1))));

        assertThat(attached.isHeld()).isTrue();
        get(attached.release());
    }

    @Test
    void ofTwoThatAttachExactlyOneWins() throws Exception {
        for (int i = 0; i < 20; i++) {
            String token = get(take(first, LONG).detach());
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

    @Test
    void aShutdownDoesNotReleaseADetachedPermit() throws Exception {
        HeldPermit kept = take(first, LONG.toBuilder().permits(2).build());
        String token = get(take(first, LONG.toBuilder().permits(2).build()).detach());

        first.engine.refuseAndRejectWaiters();
        get(first.engine.releaseAll());

        assertThat(kept.isHeld()).isFalse();
        assertThat(get(second.semaphore(LONG).holders())).extracting(Holder::state).containsExactly(Holder.State.DETACHED);
        get(get(second.semaphore(LONG).attach(token, "Test#attach")).release());
    }

    /** The id of the permit is what operators see; the token does not follow from it. */
    @Test
    void whoKnowsTheIdOnlyCannotAttach() throws Exception {
        HeldPermit permit = take(first, LONG);
        String token = get(permit.detach());

        assertGone(second.semaphore(LONG), permit.id() + "." + "0".repeat(32));

        assertThat(redis.command("HGETALL", "test:{reports}:state").toString())
                .doesNotContain(token.substring(token.lastIndexOf('.') + 1)).contains("{detached}");
        get(get(second.semaphore(LONG).attach(token, "Test#attach")).release());
    }
}
