package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse.Taker;

/**
 * A permit of the share of this instance, from its grant until it is released, lost or detached. Where it was granted
 * immediately, it is also the admission of its execution, which saves an object per call. Thread-safe.
 */
final class SharePermit implements HeldPermit, Admission {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
    private static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    enum State {
        HELD,
        RELEASED,
        LOST,
        DETACHED
    }

    /** What it is outside of the share. An object of its own, because few permits are detached. */
    static final class Detachment {

        final DetachedPermit permit;
        // When its lease ends here, while it is being detached or taken back.
        long validUntilNanos;

        Detachment(DetachedPermit permit) {
            this.permit = permit;
        }
    }

    final Bulkhead bulkhead;
    final SemaphoreDefinition definition;
    final String method;
    final long sinceNanos;
    // Beyond the share, by the policy local.
    final boolean isLocal;
    // Null where a loss does not end the execution.
    final CompletableFuture<PermitLost> interruption;

    // Guarded by the bulkhead. The neighbours are those in use, the oldest coming first.
    SharePermit before;
    SharePermit after;
    boolean inUse;
    State state = State.HELD;
    // Null once the token is drawn, or is not needed any more.
    Tokens.Block tokens;
    long token;
    // Null until it is asked for: most executions end before.
    String id;
    boolean detaching;
    // Whether it was released after it was detached; for a detachment that is undone.
    boolean releasedLate;
    // Whether it was reported that it has been held for long.
    boolean reported;
    // Whether no code can release it any more.
    volatile boolean leaked;
    // Null for a guarded method.
    private volatile Taker taker;
    // The same for all attempts to detach; null before them.
    Detachment detachment;

    // Guarded by this.
    private List<CallListener> call = List.of();
    private Runnable whenEnded;
    private CompletionStage<Void> ended;

    /**
     * @param whenEnded runs when this is ended as an admission; null where another one is
     */
    SharePermit(Bulkhead bulkhead, SemaphoreDefinition definition, String method, long sinceNanos, Runnable whenEnded,
            boolean isLocal) {
        this.bulkhead = bulkhead;
        this.definition = definition;
        this.method = method;
        this.sinceNanos = sinceNanos;
        this.whenEnded = whenEnded;
        this.isLocal = isLocal;
        this.interruption = definition.terms().interrupts() ? new CompletableFuture<>() : null;
    }

    int weight() {
        return definition.spec().weight();
    }

    /** Whether no limit counts it: the policy allow has let its call through. */
    boolean isUncounted() {
        return isLocal && definition.spec().onOutage() == OnOutage.ALLOW;
    }

    /** When the permit is lost however long its lease is. Meaningful only if the hold is bounded. */
    long holdEndNanos() {
        return sinceNanos + definition.terms().holdNanos();
    }

    /** Within the lock of the bulkhead: whether its lease has ended here. */
    boolean isOver(long now) {
        return inUse ? bulkhead.share.isOver(now) : detachment != null && detachment.validUntilNanos - now <= 0;
    }

    /** Within the lock of the bulkhead: unless it has one, or had one before it was detached. */
    void reserveToken() {
        if (!isLocal && tokens == null && token == 0 && bulkhead.tokens.free() > 0) {
            tokens = bulkhead.tokens.reserve();
        }
    }

    /** Fires that the call has the permit, and later that it gave the permit up. */
    void fireAcquired(List<CallListener> listeners) {
        if (!listeners.isEmpty()) {
            synchronized (this) {
                call = listeners;
            }
            CallResult result = isLocal ? CallResult.BYPASSED : CallResult.ACCEPTED;
            Listeners.fire(listeners, listener -> listener.acquired(result, this));
        }
    }

    void fireReleased() {
        List<CallListener> listeners;
        synchronized (this) {
            listeners = call;
            call = List.of();
        }
        if (!listeners.isEmpty()) {
            long held = bulkhead.nanoTime() - sinceNanos;
            Listeners.fire(listeners, listener -> listener.released(held));
        }
    }

    @Override
    public String id() {
        if (isUncounted()) {
            return "";
        }
        synchronized (bulkhead) {
            if (id == null) {
                id = bulkhead.engine.newId(weight());
            }
            return id;
        }
    }

    @Override
    public String bulkhead() {
        return definition.name();
    }

    @Override
    public Optional<String> key() {
        return definition.key();
    }

    /** Drawn when it is first asked for. 0 for a permit that was released before. */
    @Override
    public long fencingToken() {
        synchronized (bulkhead) {
            if (tokens != null) {
                token = tokens.draw();
                tokens = null;
                bulkhead.tokenDrawn();
            }
            return token;
        }
    }

    @Override
    public boolean isHeld() {
        synchronized (bulkhead) {
            return state == State.HELD && (isLocal || !isOver(bulkhead.nanoTime()));
        }
    }

    @Override
    public CompletionStage<Boolean> refresh() {
        return !isHeld() ? NO : isLocal ? YES : bulkhead.sync.confirmed().thenApply(done -> isHeld());
    }

    /** Waits for the answer only where the permit goes back: one that stays here is free already. */
    @Override
    public CompletionStage<Boolean> release() {
        CompletionStage<Boolean> answer = giveBack();
        return answer == YES && !isLocal && !bulkhead.keepsPermits() ? bulkhead.confirmed().thenApply(done -> true) : answer;
    }

    /** As {@link #release()}, but does not wait for an answer unless executions of this bulkhead do. */
    CompletionStage<Boolean> giveBack() {
        fireReleased();
        if (!bulkhead.release(this)) {
            return NO;
        }
        return awaitsRelease() ? bulkhead.confirmed().thenApply(done -> true) : YES;
    }

    @Override
    public CompletionStage<String> detach() {
        return isLocal ? CompletableFuture.failedStage(UncountedPermit.grantedWithoutRedis(bulkhead())) : bulkhead.detach(this);
    }

    @Override
    public void takeBack() {
        bulkhead.takeBack(this);
    }

    @Override
    public void heldBy(Taker code) {
        taker = code;
    }

    @Override
    public void abandoned() {
        synchronized (bulkhead) {
            if (leaked || !isHeld()) {
                return;
            }
            leaked = true;
        }
        PermitInUse permit = inUse(bulkhead.nanoTime());
        bulkhead.engine.listeners.fire(listener -> listener.leaked(permit));
        bulkhead.engine.timers.after(definition.spec().expire(), this::release);
    }

    PermitInUse inUse(long now) {
        return new PermitInUse(definition.id(), id(), method, taker, Duration.ofNanos(now - sinceNanos),
                definition.spec().expire());
    }

    @Override
    public boolean awaitsRelease() {
        return definition.spec().awaitRelease() && !isLocal && bulkhead.isShared;
    }

    @Override
    public Optional<CompletionStage<PermitLost>> interruption() {
        return Optional.ofNullable(interruption);
    }

    @Override
    public boolean isHeldNow() {
        return true;
    }

    @Override
    public List<HeldPermit> heldNow() {
        return List.of(this);
    }

    @Override
    public List<CompletionStage<PermitLost>> interruptions() {
        return interruption == null ? List.of() : List.of(interruption);
    }

    @Override
    public CompletionStage<Void> end() {
        CompletionStage<Boolean> answer = giveBack();
        Runnable first;
        CompletionStage<Void> answered;
        synchronized (this) {
            first = whenEnded;
            whenEnded = null;
            if (ended == null) {
                ended = answer == YES || answer == NO ? DONE : answer.thenApply(held -> null);
            }
            answered = ended;
        }
        if (first != null) {
            first.run();
        }
        return answered;
    }
}
