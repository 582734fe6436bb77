package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;

/**
 * A counting semaphore. Thread-safe. Where the store gives no answer, stages fail with
 * {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException}; where it is contended, with
 * {@link io.quarkiverse.redisbulkhead.BulkheadContendedException}.
 */
public final class Semaphore {

    private final SemaphoreDefinition definition;
    private final Engine engine;
    private final boolean limiting;
    private final List<HeldPermit> heldByCallers;
    // Of the last call: saves a look-up. Threads that race find the same.
    private Bulkhead last;

    /**
     * A semaphore. Creating one is cheap; all with the same name share their permits.
     *
     * @param engine gives the permits
     * @param spec what it is
     * @param limiting {@code false}: the bulkhead is disabled, and all calls get a permit that does not count
     */
    public Semaphore(Engine engine, SemaphoreSpec spec, boolean limiting) {
        this(SemaphoreDefinition.of(spec), engine, limiting, List.of());
    }

    Semaphore(SemaphoreDefinition definition, Engine engine, boolean limiting, List<HeldPermit> heldByCallers) {
        this.definition = definition;
        this.engine = engine;
        this.limiting = limiting;
        this.heldByCallers = heldByCallers;
    }

    private Semaphore with(SemaphoreDefinition other) {
        return new Semaphore(other, engine, limiting, heldByCallers);
    }

    /**
     * This semaphore, for a call that ends before the calls around it do. It is rejected immediately when their permits make it
     * impossible.
     *
     * @param held the permits of the calls around it
     * @return the semaphore, which shares its permits with this one
     */
    public Semaphore nestedIn(List<HeldPermit> held) {
        return new Semaphore(definition, engine, limiting, held);
    }

    /**
     * This semaphore, with another exception for calls that are rejected because it is full.
     *
     * @param rejection makes the exception; with {@link SkippedException}, the call counts as {@link CallResult#SKIPPED}
     * @return the semaphore, which shares its permits with this one
     */
    public Semaphore whenFull(Function<BulkheadFullException, RuntimeException> rejection) {
        return with(definition.whenFull(rejection));
    }

    /**
     * The definition.
     *
     * @return with the limit of the key, if this is the semaphore of a key
     */
    public SemaphoreSpec spec() {
        return definition.spec();
    }

    /** The name of the bulkhead and the value of its key. */
    public BulkheadId id() {
        return definition.id();
    }

    /**
     * The semaphore of one key. It is cheap, and not kept anywhere.
     *
     * @param key any text
     * @param permits the limit for this key; empty for that of the definition
     * @return the semaphore; its definition has the limit for this key
     */
    public Semaphore forKey(String key, OptionalInt permits) {
        return with(definition.forKey(key, permits));
    }

    /**
     * Requests a permit, and waits for it as long as the definition says, without occupying a worker thread.
     *
     * @param method what the permit is for, as operators see it
     * @return the pending request
     */
    public Admission admit(String method) {
        return admit(method, WaitsOn.NO_WORKER_THREAD);
    }

    /**
     * Requests a permit, and waits for it as long as the definition says.
     *
     * @param method what the permit is for, as operators see it
     * @param waitsOn what the call occupies while it waits
     * @return the pending request
     */
    public Admission admit(String method, WaitsOn waitsOn) {
        return admit(method, waitsOn, null);
    }

    /**
     * Acquires a permit, like {@link #admit(String, WaitsOn)}.
     *
     * @param whenEnded runs when the admission is ended; null for nothing
     */
    Admission admit(String method, WaitsOn waitsOn, Runnable whenEnded) {
        return begin(method, waitsOn, whenEnded, listeners(method));
    }

    /**
     * Prepares an admission that begins later, on any thread. To be called on the caller's thread, because listeners note
     * where a call comes from.
     */
    Supplier<Admission> prepare(String method, WaitsOn waitsOn) {
        List<CallListener> call = listeners(method);
        return () -> begin(method, waitsOn, null, call);
    }

    private Admission begin(String method, WaitsOn waitsOn, Runnable whenEnded, List<CallListener> call) {
        if (!limiting) {
            return uncounted(whenEnded);
        }
        Listeners.fire(call, CallListener::requested);
        Bulkhead bulkhead = last == null ? engine.bulkhead(definition) : last;
        SharePermit given = bulkhead.take(definition, method, whenEnded);
        if (given != null) {
            last = bulkhead;
            given.fireAcquired(call);
            return given;
        }
        PendingCall pending;
        do {
            bulkhead = engine.bulkhead(definition);
            pending = new PendingCall(bulkhead, definition, method, waitsOn, whenEnded, call, heldByCallers);
        } while (!bulkhead.enter(pending, definition));
        last = bulkhead;
        return pending;
    }

    /**
     * Counts a call that is refused. No permit is requested.
     *
     * @param method what the permit would have been for, as operators see it
     * @param reason why
     */
    public void refuse(String method, CallResult reason) {
        List<CallListener> call = listeners(method);
        Listeners.fire(call, CallListener::requested);
        Listeners.fire(call, listener -> listener.rejected(reason));
    }

    private List<CallListener> listeners(String method) {
        return limiting ? engine.listeners.onCall(definition.id(), method, definition.spec().weight()) : List.of();
    }

    /**
     * This semaphore, with another time to wait.
     *
     * @param maxWait how long to wait for a permit; zero: one attempt
     * @return the semaphore, which shares its permits with this one
     * @throws IllegalArgumentException when the time is null, negative or too long
     */
    public Semaphore within(Duration maxWait) {
        return with(definition.within(maxWait));
    }

    /**
     * This semaphore, with permits of another weight.
     *
     * @param weight how much of the limit a permit takes
     * @return the semaphore, which shares its permits with this one
     * @throws IllegalArgumentException when the weight is out of range, or above the limit of the definition
     */
    public Semaphore weighing(int weight) {
        return with(definition.weighing(weight));
    }

    /**
     * This semaphore, for a call of that weight.
     *
     * @param weight how much of the limit the call takes, at least 1
     * @param method what the permit is for, as operators see it
     * @return the semaphore, which shares its permits with this one
     * @throws CallRejectedException when the weight is above the limit; the call is counted
     */
    public Semaphore forCallWeighing(long weight, String method) {
        if (limiting && weight > spec().permits()) {
            refuse(method, CallResult.FULL);
            throw CallRejectedException.heavy(weight, spec().name(), id().key(), spec().permits(), spec().expire());
        }
        return limiting ? weighing((int) weight) : this;
    }

    /**
     * Attaches a permit that was {@linkplain HeldPermit#detach() detached} in any process.
     *
     * @param token what the detaching returned
     * @param method what the permit is for from now on, as operators see it
     * @return the permit, to be released by the caller; fails with
     *         {@link io.quarkiverse.redisbulkhead.PermitGoneException} when it no longer exists
     * @throws IllegalArgumentException when the token is malformed
     */
    public CompletionStage<HeldPermit> attach(String token, String method) {
        return engine.attach(definition, token, method);
    }

    /**
     * Checks the form of a token.
     *
     * @param token the token
     * @throws IllegalArgumentException when it is malformed
     */
    public static void requireToken(String token) {
        DetachedPermit.parse(token);
    }

    /**
     * A permit that does not count.
     *
     * @return held until it is released
     */
    public HeldPermit uncountedPermit() {
        return uncounted(null);
    }

    private UncountedPermit uncounted(Runnable whenEnded) {
        return new UncountedPermit(definition.id(), whenEnded);
    }

    /**
     * How full the semaphore is, over all processes.
     *
     * @return the state at one instant
     */
    public CompletionStage<SemaphoreStatus> status() {
        return occupancy(0).thenApply(now -> new SemaphoreStatus(definition.name(), definition.key(),
                limitInForce(definition.id(), definition.spec(), now),
                now.inUse(), now.waiting(), now.resizedTo().isPresent(), now.declaredLimits()));
    }

    /**
     * The limit as an operator sees it, without the limit that a resolver computes for a key.
     *
     * @param bulkhead the bulkhead
     * @param spec its definition here
     * @param now its state
     * @return what was set for all processes, else what is declared for the key, else that of the definition
     */
    public static int limitInForce(BulkheadId bulkhead, SemaphoreSpec spec, Occupancy now) {
        boolean asDeclared = bulkhead.key().isPresent() && now.declaredLimits().size() == 1;
        return now.resizedTo().orElse(asDeclared ? now.declaredLimits().first() : spec.permits());
    }

    /**
     * Who holds permits, over all processes.
     *
     * @return the lease that ends first coming first; at most {@value ShareStore#MAX_LISTED}
     */
    public CompletionStage<List<Holder>> holders() {
        return occupancy(ShareStore.MAX_LISTED).thenApply(Occupancy::holders);
    }

    /**
     * Who holds the permit whose lease ends first, over all processes.
     *
     * @return empty when there is no holder
     */
    public CompletionStage<Optional<Holder>> firstHolder() {
        return occupancy(1).thenApply(now -> now.holders().stream().findFirst());
    }

    /**
     * Who waits for permits, over all processes.
     *
     * @return the fair ones first and in their order; at most {@value ShareStore#MAX_LISTED}
     */
    public CompletionStage<List<Waiter>> waiters() {
        return occupancy(ShareStore.MAX_LISTED).thenApply(Occupancy::waiters);
    }

    private CompletionStage<Occupancy> occupancy(int most) {
        return StoreFailures.translate(definition.name(), engine.occupancy(definition.id(), most));
    }

    /**
     * Revokes a permit.
     *
     * @param permitId the permit
     * @return {@code false} when it is not held
     */
    public CompletionStage<Boolean> revoke(String permitId) {
        return StoreFailures.translate(definition.name(), engine.revoke(definition.id(), permitId));
    }

    /**
     * Sets the limit for all processes.
     *
     * @param permits the limit, at least 1
     * @return completes when it is in force
     */
    public CompletionStage<Void> resize(int permits) {
        return StoreFailures.translate(definition.name(), engine.resize(definition.id(), permits).thenApply(was -> null));
    }

    /**
     * Undoes {@link #resize}.
     *
     * @return {@code false} when there was nothing to undo
     */
    public CompletionStage<Boolean> resetSize() {
        return StoreFailures.translate(definition.name(), engine.resize(definition.id(), 0));
    }
}
