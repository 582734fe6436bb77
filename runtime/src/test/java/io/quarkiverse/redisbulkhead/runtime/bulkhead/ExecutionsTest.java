package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** Executions with the permits of several bulkheads. */
class ExecutionsTest extends TwoInstances {

    private static final Duration ROUND_TRIP = Duration.ofMillis(2);

    private Admission chain(boolean awaitRelease, String... names) {
        List<Semaphore> semaphores = Stream.of(names)
                .map(name -> semaphore(one, SemaphoreSpec.named(name).permits(1).awaitRelease(awaitRelease).build())).toList();
        return new Executions().admit(semaphores, "A#a", WaitsOn.NO_WORKER_THREAD);
    }

    private void take(String name) {
        held(semaphore(two, SemaphoreSpec.named(name).permits(1).build()).admit("B#b"));
    }

    private boolean isTaken(String name) {
        return !server.fields(BulkheadId.of(name)).isEmpty() && one.engine.here(BulkheadId.of(name), 100).holders().size() == 1;
    }

    @Test
    void permitsAreAcquiredOneAfterTheOther() {
        slowly(1_000);
        Admission chain = chain(false, "a", "b");
        assertThat(chain.heldNow()).isEmpty();
        advance(ROUND_TRIP);
        assertThat(isTaken("a")).isTrue();
        assertThat(isTaken("b")).isFalse();
        waits(chain);
        advance(ROUND_TRIP);

        assertThat(chain.heldNow()).hasSize(2).isEqualTo(chain.granted().toCompletableFuture().join());
        chain.end();
        assertThat(isTaken("a")).isFalse();
        assertThat(isTaken("b")).isFalse();
    }

    /** Trap 18. */
    @Test
    void rejectedCallHasGivenItsOtherPermitsBack() {
        take("c");
        Admission chain = chain(false, "a", "b", "c");

        assertThat(rejection(chain)).isInstanceOfSatisfying(BulkheadFullException.class,
                e -> assertThat(e.name()).isEqualTo("c"));
        take("a");
        take("b");
    }

    /** Trap 18: with await-release, Redis knows before the caller sees the rejection. */
    @Test
    void rejectionCanAwaitTheReleases() {
        take("b");
        slowly(1_000);
        Admission chain = chain(true, "a", "b");
        advance(ROUND_TRIP.multipliedBy(2));
        waits(chain);

        advance(ROUND_TRIP);

        assertThat(rejection(chain)).isInstanceOf(BulkheadFullException.class);
        server.calm();
        take("a");
    }

    /** Listeners and stores have locks of their own, and another thread may end the call meanwhile. */
    @Test
    void callEndsWhileItBeginsToAcquire() {
        slowly(1_000);
        AtomicReference<Admission> chain = new AtomicReference<>();
        one.events = new SemaphoreListener() {

            @Override
            public void lost(PermitLost loss) {
                throw new AssertionError(loss);
            }

            @Override
            public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
                return new CallListener() {

                    @Override
                    public void requested() {
                        if (chain.get() != null) {
                            CompletableFuture.runAsync(() -> chain.get().end()).orTimeout(20, TimeUnit.SECONDS).join();
                        }
                    }
                };
            }
        };
        chain.set(chain(false, "a", "b"));

        advance(Duration.ofSeconds(1));

        assertThat(rejection(chain.get())).isInstanceOf(CancellationException.class);
        one.events = loss -> {
        };
        server.calm();
        take("a");
        take("b");
    }
}
