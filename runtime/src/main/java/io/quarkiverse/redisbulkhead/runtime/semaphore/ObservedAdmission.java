package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/** An admission to one bulkhead that tells how it gets on. */
final class ObservedAdmission implements Admission {

    private enum State {
        ASKING,
        RUNNING,
        OVER
    }

    private final Admission admission;
    private final CallListener listener;
    private final boolean mayWait;
    private final CompletionStage<List<HeldPermit>> granted;

    // All are guarded by this, and so is the order of what the listener is told, which therefore is told within the lock.
    private State state = State.ASKING;
    private boolean unwanted;
    private List<HeldPermit> held = List.of();

    /**
     * Tells from now on.
     *
     * @param admission under way
     * @param listener is told
     * @param maxWait how long it may wait
     */
    ObservedAdmission(Admission admission, CallListener listener, Duration maxWait) {
        this.admission = admission;
        this.listener = listener;
        this.mayWait = !maxWait.isZero();
        // Before asked(), so that a grant without a wait is not told as a wait.
        this.granted = admission.granted().handle(this::decided).thenCompose(stage -> stage);
        admission.asked().thenRun(this::tellIfWaiting);
    }

    private synchronized void tellIfWaiting() {
        if (state == State.ASKING && !admission.granted().toCompletableFuture().isDone()) {
            listener.waits();
        }
    }

    private synchronized CompletionStage<List<HeldPermit>> decided(List<HeldPermit> permits, Throwable rejection) {
        if (rejection != null) {
            state = State.OVER;
            listener.decided(unwanted ? CallResult.CANCELLED : result(Failures.cause(rejection)), 0);
            return admission.granted();
        }
        HeldPermit permit = permits.get(0);
        if (unwanted) {
            state = State.OVER;
            listener.decided(CallResult.CANCELLED, 0);
        } else {
            state = State.RUNNING;
            listener.decided(permit.fencingToken() == 0 ? CallResult.BYPASSED : CallResult.ACCEPTED, permit.fencingToken());
        }
        held = List.of(new ObservedPermit(permit));
        return CompletableFuture.completedStage(held);
    }

    private CallResult result(Throwable rejection) {
        if (rejection instanceof QueueFullException) {
            return CallResult.QUEUE_FULL;
        } else if (rejection instanceof BulkheadFullException) {
            return mayWait && !(rejection instanceof HeavyCallRejectedException heavy && heavy.isAboveLimit())
                    ? CallResult.TIMED_OUT
                    : CallResult.FULL;
        } else if (rejection instanceof BulkheadContendedException) {
            return CallResult.CONTENDED;
        }
        return rejection instanceof CancellationException ? CallResult.CANCELLED : CallResult.UNAVAILABLE;
    }

    private synchronized void ended() {
        if (state == State.RUNNING) {
            state = State.OVER;
            listener.ended();
        }
        unwanted = true;
    }

    @Override
    public synchronized List<HeldPermit> heldNow() {
        return held;
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return granted;
    }

    @Override
    public CompletionStage<Void> asked() {
        return admission.asked();
    }

    @Override
    public CompletionStage<Void> end() {
        ended();
        return admission.end();
    }

    /** Who has it may release it without ending the admission. */
    private final class ObservedPermit implements HeldPermit {

        private final HeldPermit permit;

        private ObservedPermit(HeldPermit permit) {
            this.permit = permit;
        }

        @Override
        public String id() {
            return permit.id();
        }

        @Override
        public String bulkhead() {
            return permit.bulkhead();
        }

        @Override
        public Optional<String> key() {
            return permit.key();
        }

        @Override
        public long fencingToken() {
            return permit.fencingToken();
        }

        @Override
        public boolean isHeld() {
            return permit.isHeld();
        }

        @Override
        public CompletionStage<Boolean> refresh() {
            return permit.refresh();
        }

        @Override
        public CompletionStage<Boolean> release() {
            ended();
            return permit.release();
        }

        @Override
        public CompletionStage<String> detach() {
            return permit.detach().thenApply(token -> {
                ended();
                return token;
            });
        }

        @Override
        public boolean awaitsRelease() {
            return permit.awaitsRelease();
        }

        @Override
        public Optional<CompletionStage<PermitLost>> interruption() {
            return permit.interruption();
        }
    }
}
