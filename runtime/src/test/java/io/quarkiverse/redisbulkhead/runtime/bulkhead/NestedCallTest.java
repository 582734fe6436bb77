package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;

/** Trap 17: a call that would wait for a permit of an enclosing call is rejected immediately, by the limit in force. */
class NestedCallTest extends TwoInstances {

    final List<String> reported = new ArrayList<>();
    final Semaphore semaphore = semaphore(one,
            SemaphoreSpec.named("work").permits(3).maxWait(Duration.ofHours(1)).build());

    NestedCallTest() {
        one.events = new SemaphoreListener() {

            @Override
            public void lost(PermitLost loss) {
                // No test loses permits.
            }

            @Override
            public void nestedCallRejected(String method, RuntimeException rejection) {
                reported.add(method + ": " + CallRejectedException.reasonOf((BulkheadFullException) rejection));
            }
        };
    }

    private static HeldPermit hold(Semaphore from) {
        return held(from.admit("A#outer"));
    }

    @Test
    void deadlockedCallIsRejected() {
        HeldPermit outer = hold(semaphore.weighing(2));

        Admission inner = semaphore.nestedIn(List.of(outer)).weighing(2).admit("A#inner");

        assertThat(rejection(inner)).isInstanceOfSatisfying(CallRejectedException.class, rejected -> {
            assertThat(CallRejectedException.reasonOf(rejected)).isEqualTo(Reason.NESTED);
            assertThat(rejected)
                    .hasMessageStartingWith("A call of bulkhead 'work' would wait for itself: it needs 2 of the 3"
                            + " permits, and the guarded calls around it hold 2.")
                    .hasMessageEndingWith("raise the limit to 4");
            assertThat(rejected.limit()).isEqualTo(3);
        });
        assertThat(look().waiting()).as("leaves the queue").isZero();
        assertThat(reported).containsExactly("A#inner: NESTED");
    }

    @Test
    void callBlockedByOthersWaits() {
        HeldPermit outer = hold(semaphore.weighing(2));
        HeldPermit other = hold(semaphore(two, semaphore.spec()));

        Admission inner = semaphore.nestedIn(List.of(outer)).admit("A#inner");

        waits(inner);
        other.release();
        advance(Duration.ofSeconds(1));
        held(inner);
    }

    @Test
    void limitInForceDecides() {
        HeldPermit outer = hold(semaphore.weighing(3));
        one.engine.resize(WORK, 4);
        HeldPermit other = hold(semaphore(two, semaphore.spec()));
        Admission inner = semaphore.nestedIn(List.of(outer)).admit("A#inner");
        waits(inner);
        inner.end();
        other.release();
        outer.release();
        one.engine.resize(WORK, 1);
        advance(Duration.ofSeconds(1));

        HeldPermit light = hold(semaphore(two, semaphore.spec()));
        assertThat(rejection(semaphore(two, semaphore.spec()).nestedIn(List.of(light)).admit("A#inner")))
                .isInstanceOfSatisfying(CallRejectedException.class,
                        full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(Reason.NESTED));
    }

    @Test
    void permitsOfOtherKeysAndReleasedOnesDoNotCount() {
        HeldPermit other = hold(semaphore.forKey("a", OptionalInt.empty()).weighing(3));
        HeldPermit released = hold(semaphore.weighing(3));
        released.release();
        HeldPermit all = hold(semaphore(two, semaphore.spec()).weighing(3));

        Admission inner = semaphore.nestedIn(List.of(other, released)).admit("A#inner");

        waits(inner);
        all.release();
        advance(Duration.ofSeconds(1));
        held(inner);
    }

    @Test
    void weightAboveTheLimitTakesPrecedence() {
        HeldPermit outer = hold(semaphore);
        one.engine.resize(WORK, 2);

        Admission inner = semaphore.nestedIn(List.of(outer)).weighing(3).admit("A#inner");

        assertThat(rejection(inner)).isInstanceOfSatisfying(CallRejectedException.class,
                full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(Reason.ABOVE_LIMIT));
        assertThat(reported).isEmpty();
    }
}
