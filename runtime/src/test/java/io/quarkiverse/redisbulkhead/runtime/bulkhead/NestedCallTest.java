package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;

/** Trap 17: a call that would wait for a permit of an enclosing call is rejected at once, by the limit in force. */
class NestedCallTest {

    static final Duration FAR = Duration.ofMinutes(10);

    final List<String> reported = new ArrayList<>();
    final ManualStore store = new ManualStore();
    final SemaphoreEngine engine = new SemaphoreEngine(store, new ManualTimers(), new HolderIdentity("app", "host:1"),
            new SemaphoreListener() {

                @Override
                public void lost(PermitLost loss) {
                    // No test loses permits.
                }

                @Override
                public void nestedCallRejected(String method, RuntimeException rejection) {
                    reported.add(method + ": " + rejection.getClass().getSimpleName());
                }
            }, true, new WaiterLimits(Integer.MAX_VALUE));
    final Semaphore semaphore = engine
            .semaphore(SemaphoreSpec.named("reports").permits(3).maxWait(Duration.ofHours(1)).build());

    @Test
    void deadlockedCallIsRejected() {
        HeldPermit outer = hold(semaphore.weighing(2));

        Admission inner = semaphore.nestedIn(List.of(outer)).weighing(2).admit("A#inner");
        reply(waiting(3));
        store.replyToReleases(false);

        assertThat(rejection(inner)).isInstanceOfSatisfying(NestedCallRejectedException.class, rejected -> {
            assertThat(rejected)
                    .hasMessageStartingWith("A call of bulkhead 'reports' would wait for itself: it needs 2 of the 3"
                            + " permits, and the guarded calls around it hold 2.")
                    .hasMessageEndingWith("raise the limit to 4");
            assertThat(rejected.limit()).isEqualTo(3);
        });
        assertThat(store.log).as("leaves the queue").containsExactly("acquire reports",
                "acquire reports", "release reports");
        assertThat(reported).containsExactly("A#inner: NestedCallRejectedException");
    }

    @Test
    void deadlockIsReportedWithoutMaxWait() {
        HeldPermit outer = hold(semaphore.weighing(3));

        Admission inner = semaphore.nestedIn(List.of(outer)).within(Duration.ZERO).admit("A#inner");
        reply(new Full(3, FAR, false));

        assertThat(rejection(inner)).isInstanceOf(NestedCallRejectedException.class);
    }

    @Test
    void callBlockedByOthersWaits() {
        HeldPermit outer = hold(semaphore.weighing(2));

        Admission inner = semaphore.nestedIn(List.of(outer)).admit("A#inner");
        reply(waiting(3));

        assertWaits(inner);
    }

    @Test
    void limitInForceDecides() {
        HeldPermit outer = hold(semaphore.weighing(3));

        Admission resized = semaphore.nestedIn(List.of(outer)).admit("A#inner");
        reply(waiting(4));
        assertWaits(resized);

        HeldPermit light = hold(semaphore);
        Admission shrunk = semaphore.nestedIn(List.of(light)).admit("A#inner");
        reply(waiting(1));
        store.replyToReleases(false);
        assertThat(rejection(shrunk)).isInstanceOf(NestedCallRejectedException.class);
    }

    @Test
    void permitsOfOtherKeysAndReleasedOnesDoNotCount() {
        HeldPermit other = hold(semaphore.forKey("a", OptionalInt.empty()).weighing(3));
        HeldPermit released = hold(semaphore.weighing(3));
        released.release();
        store.replyToReleases(true);

        Admission inner = semaphore.nestedIn(List.of(other, released)).admit("A#inner");
        reply(waiting(3));

        assertWaits(inner);
    }

    @Test
    void callThatIsNotNestedWaits() {
        hold(semaphore.weighing(3));

        Admission next = semaphore.admit("A#next");
        reply(waiting(3));

        assertWaits(next);
    }

    @Test
    void weightAboveTheLimitTakesPrecedence() {
        HeldPermit outer = hold(semaphore);

        Admission inner = semaphore.nestedIn(List.of(outer)).weighing(3).admit("A#inner");
        reply(new Full(2, FAR, false));

        assertThat(rejection(inner)).isInstanceOf(HeavyCallRejectedException.class);
        assertThat(reported).isEmpty();
    }

    private HeldPermit hold(Semaphore from) {
        Admission admission = from.admit("A#outer");
        reply(new Granted(7, false));
        return admission.granted().toCompletableFuture().join().get(0);
    }

    private void reply(AcquireReply reply) {
        store.pending.get(store.pending.size() - 1).complete(reply);
    }

    private static Waiting waiting(int limit) {
        return new Waiting(limit, FAR, 1_000_000, 0, false);
    }

    private void assertWaits(Admission admission) {
        assertThat(admission.granted().toCompletableFuture()).isNotDone();
        assertThat(store.openReleases).as("stays queued").isEmpty();
        admission.end();
        store.replyToReleases(false);
    }

    private static Throwable rejection(Admission admission) {
        CompletableFuture<List<HeldPermit>> granted = admission.granted().toCompletableFuture();
        assertThat(granted).isCompletedExceptionally();
        Throwable rejection = granted.handle((permits, failure) -> failure).join();
        assertThat(rejection).isInstanceOf(BulkheadFullException.class);
        return rejection;
    }
}
