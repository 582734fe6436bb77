package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Uni;

class SkippingGuardTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final BulkheadFullException FULL = new BulkheadFullException("reports", 5, Duration.ZERO);

    private final Continuations continuations = new Continuations(1);
    private final AsyncGuard async = new AsyncGuard("reports", continuations);

    @BeforeEach
    void noEventLoop() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @AfterEach
    void close() {
        continuations.close();
    }

    private SkippingGuard skipping(Guard guard) {
        return new SkippingGuard(guard, null);
    }

    private SkippingGuard synchronous() {
        return skipping(new SynchronousGuard("A#a", "reports"));
    }

    private Object neverCalled() {
        throw new AssertionError("the method ran");
    }

    /** Outages follow their policy. */
    @Test
    void otherRejectionsAreFailures() {
        for (Exception rejection : List.of(new BulkheadUnavailableException("reports", "Redis is away", null),
                new BulkheadContendedException("reports", null), FULL)) {
            assertThatThrownBy(() -> synchronous().call(ManualAdmissions.rejecting(rejection), this::neverCalled))
                    .isSameAs(rejection);
            assertThatThrownBy(() -> ((Uni<?>) skipping(async::uni).call(ManualAdmissions.rejecting(rejection),
                    this::neverCalled)).await().atMost(LONG)).isSameAs(rejection);
        }
    }

    /** For example from a nested guarded method of the same bulkhead. */
    @Test
    void exceptionOfTheMethodIsAFailure() {
        assertThatThrownBy(() -> synchronous().call(ManualAdmissions.automatic(), () -> {
            throw FULL;
        })).isSameAs(FULL);
        assertThatThrownBy(() -> ((Uni<?>) skipping(async::uni).call(ManualAdmissions.automatic(),
                () -> Uni.createFrom().failure(FULL))).await().atMost(LONG)).isSameAs(FULL);
    }

    @Test
    void cancelledStageReleasesItsPermit() throws Exception {
        ManualAdmissions admissions = ManualAdmissions.automatic();
        CompletableFuture<Object> running = new CompletableFuture<>();
        CompletableFuture<?> stage = (CompletableFuture<?>) skipping(async::stage).call(admissions, () -> running);

        stage.cancel(false);

        assertThat(admissions.last().ends).isEqualTo(1);
        assertThatThrownBy(stage::join).isInstanceOf(CancellationException.class);
    }
}
