package io.quarkiverse.redisbulkhead.test;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.test.runtime.SimulatedStore;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcContainer;

/**
 * Controls a bulkhead in a test: fills it, so that guarded calls are rejected or wait, observes it, and empties it.
 *
 * <pre>{@code
 * try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
 *     reports.fill();
 *     given().get("/reports").then().statusCode(429);
 *     reports.free(1);
 *     given().get("/reports").then().statusCode(200);
 * }
 * }</pre>
 *
 * A guarded call returns without waiting for the release of its permit, unless {@code await-release} is set. Within the same
 * process, later calls and this class find the permit free. After a call to another process, for example a packaged
 * application, {@link #inUse()} may still count its permit, and {@link #fill()} may not get it: use {@link #awaitInUse} or
 * {@link #awaitEmpty()} first.
 * <p>
 * The permits that it takes are like all others: they are renewed while the test runs, other applications see them, and
 * {@code max-hold} and {@link RedisSemaphore#resize} apply. Holders of these permits have the method
 * {@code TestBulkhead#fill}. Only {@code min-hold} does not apply to them: they are free as soon as the test releases them.
 * <p>
 * The {@code await} methods read {@link RedisSemaphore#status()} every 20 ms, so they may miss a state that does not last. Let
 * a test wait for states that stay until the test continues. They wait for {@link #TIMEOUT}, or for the timeout given to
 * {@link #of(RedisSemaphore, Duration)}, and then fail with an {@link AssertionError} that lists the holders and waiters. If
 * Redis does not answer, they ask again until then.
 * <p>
 * It also simulates faults with {@link #outage()}, {@link #slow(Duration)} and {@link #loseOldest()}, with every store. This
 * works in the process of the test only: the application must run in it, as with {@code @QuarkusTest}.
 *
 * <pre>{@code
 * try (TestBulkhead.Simulation outage = reports.outage()) {
 *     given().get("/reports").then().statusCode(503);
 * }
 * }</pre>
 *
 * Methods block, and may be called by several threads. An interrupt ends a wait.
 */
public final class TestBulkhead implements AutoCloseable {

    /** How long to wait, unless {@link #of(RedisSemaphore, Duration)} was given another time: ten seconds. */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int POLL_MILLIS = 20;

    private final RedisSemaphore semaphore;
    private final Duration timeout;
    private final Queue<Permit> own = new ConcurrentLinkedQueue<>();
    private final Queue<Simulation> simulations = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /** A simulated fault, which ends when a test closes it. */
    public interface Simulation extends AutoCloseable {

        /** Ends the simulation. Closing it again has no effect. */
        @Override
        void close();
    }

    private TestBulkhead(RedisSemaphore semaphore, Duration timeout) {
        this.semaphore = semaphore;
        this.timeout = timeout;
    }

    /**
     * Creates the control of a bulkhead, without asking Redis.
     *
     * @param semaphore the bulkhead, from {@link RedisBulkheads#semaphore(String)}. If it has one limit for each key, the
     *        semaphore of a key, from {@link RedisSemaphore#forKey(String)}, or from
     *        {@link RedisSemaphore#forKey(String, int)} if a resolver of the application determines the limit
     * @return the control, to be closed at the end of the test
     * @throws IllegalArgumentException when it is null, or a key is missing
     */
    public static TestBulkhead of(RedisSemaphore semaphore) {
        return of(semaphore, TIMEOUT);
    }

    /**
     * As {@link #of(RedisSemaphore)}, with another timeout.
     *
     * @param semaphore the bulkhead
     * @param timeout how long the {@code await} methods wait, more than zero
     * @return the control, to be closed at the end of the test
     * @throws IllegalArgumentException when anything is null, a key is missing, or the timeout is not more than zero
     */
    public static TestBulkhead of(RedisSemaphore semaphore, Duration timeout) {
        requirePositive("timeout", timeout);
        if (nonNull(semaphore, "semaphore").needsKey()) {
            throw new IllegalArgumentException("Bulkhead '" + semaphore.spec().name() + "' has one limit for each key. Use "
                    + "TestBulkhead.of(semaphore.forKey(key))");
        }
        return new TestBulkhead(semaphore, timeout);
    }

    /**
     * Takes all permits that are free now, each of weight 1, so that the next call is rejected or waits.
     *
     * @return how many it took; 0 when the bulkhead was full already
     * @throws BulkheadException when Redis cannot be asked; then it took none
     * @throws IllegalStateException when this is closed, when permits are not counted because the bulkhead is switched off
     *         or Redis is away, or when called on an event loop; then it took none
     * @throws AssertionError when there are more free permits than can be taken in time; then it took none
     */
    public int fill() {
        List<Permit> taken = fill(Integer.MAX_VALUE, System.nanoTime());
        own.addAll(taken);
        return taken.size();
    }

    /**
     * Takes permits that are free now, each of weight 1; all of them or none.
     *
     * @param permits how many, at least 1
     * @throws AssertionError when fewer are free
     * @throws BulkheadException as for {@link #fill()}
     * @throws IllegalStateException as for {@link #fill()}
     * @throws IllegalArgumentException when {@code permits} is below 1
     */
    public void fill(int permits) {
        requireAtLeast(1, permits);
        List<Permit> taken = fill(permits, System.nanoTime());
        if (taken.size() < permits) {
            giveBack(taken);
            throw new AssertionError("Expected " + permits + " free permits of " + name() + ", but there were " + taken.size()
                    + ".\n" + occupants());
        }
        own.addAll(taken);
    }

    // All methods that acquire permits have this name, because operators see it.
    private List<Permit> fill(int most, long begun) {
        requireOpen();
        List<Permit> taken = new ArrayList<>();
        try {
            Optional<Permit> free = Optional.empty();
            while (taken.size() < most && (free = semaphore.tryAcquire(1)).isPresent()) {
                taken.add(free.get());
                requireCounted(free.get());
                if (taken.size() < most && isOver(begun)) {
                    throw new AssertionError("Took " + taken.size() + " permits of " + name() + " within "
                            + timeout.toMillis() + " ms, and more may be free. Give it a smaller limit in tests, or "
                            + "TestBulkhead more time");
                }
            }
            return taken;
        } catch (RuntimeException | AssertionError e) {
            giveBack(taken);
            throw e;
        }
    }

    private void requireCounted(Permit permit) {
        if (permit.fencingToken() == 0) {
            throw new IllegalStateException(
                    "Cannot fill " + name() + ", because its permits are not counted there: either it is "
                            + "switched off (enabled=false), or Redis is away and on-outage is not 'reject'");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("This TestBulkhead of " + name() + " is closed");
        }
    }

    /**
     * Releases all permits that it took itself.
     *
     * @return how many were still held
     */
    public int free() {
        List<Permit> all = new ArrayList<>();
        own.removeIf(all::add);
        return giveBack(all);
    }

    /**
     * Releases the oldest permits that it took itself. Permits that it has lost do not count.
     *
     * @param permits how many, at least 1
     * @throws AssertionError when it has fewer; it has then released all of them
     * @throws IllegalArgumentException when {@code permits} is below 1
     */
    public void free(int permits) {
        requireAtLeast(1, permits);
        int given = 0;
        while (given < permits) {
            Permit permit = own.poll();
            if (permit == null) {
                throw new AssertionError("Expected to give back " + permits + " permits of " + name()
                        + ", but this TestBulkhead had only " + given + ".\n" + occupants());
            }
            given += permit.release() ? 1 : 0;
            endMinHold(permit);
        }
    }

    private int giveBack(List<Permit> permits) {
        int held = (int) permits.stream().filter(Permit::release).count();
        // Once all are released, because this fails when Redis does not answer.
        permits.forEach(this::endMinHold);
        return held;
    }

    // A permit of a test is free when the test says so.
    private void endMinHold(Permit permit) {
        if (!semaphore.spec().minHold().isZero()) {
            semaphore.holders().stream()
                    .filter(holder -> holder.state() == Holder.State.RELEASED && holder.ticket() == permit.fencingToken())
                    .forEach(holder -> semaphore.revoke(holder.permitId()));
        }
    }

    /**
     * How many permits it holds itself.
     *
     * @return the number of permits that it took, and has neither released nor lost
     */
    public int held() {
        return (int) own.stream().filter(Permit::isHeld).count();
    }

    /**
     * How many permits are in use now, by their weights, across all applications, including its own permits. The permit of a
     * call to another process that has just returned may still be counted; {@link #awaitInUse} waits until it is not.
     *
     * @return as {@link SemaphoreStatus#inUse()}
     * @throws BulkheadException when Redis cannot be asked
     */
    public int inUse() {
        return semaphore.status().inUse();
    }

    /**
     * How many calls wait for a permit, across all applications.
     *
     * @return as {@link SemaphoreStatus#waiting()}
     * @throws BulkheadException when Redis cannot be asked
     */
    public int waiting() {
        return semaphore.status().waiting();
    }

    /**
     * Waits until exactly that many permits are in use, by their weights, including its own permits.
     *
     * @param permits how many, at least 0
     * @throws AssertionError when that does not happen in time; it lists the holders and waiters
     * @throws IllegalArgumentException when {@code permits} is negative
     */
    public void awaitInUse(int permits) {
        requireAtLeast(0, permits);
        await("Expected " + permits + " permits of " + name() + " in use", semaphore::status, now -> now.inUse() == permits);
    }

    /**
     * Waits until exactly that many calls wait for a permit.
     *
     * @param waiters how many, at least 0
     * @throws AssertionError when that does not happen in time; it lists the holders and waiters
     * @throws IllegalArgumentException when {@code waiters} is negative
     */
    public void awaitWaiters(int waiters) {
        requireAtLeast(0, waiters);
        await("Expected " + waiters + " to wait for " + name(), semaphore::status, now -> now.waiting() == waiters);
    }

    /**
     * Waits until no permit is in use and no call waits: all guarded calls have ended. Release its own permits first.
     *
     * @throws AssertionError when that does not happen in time; it lists the holders and waiters
     */
    public void awaitEmpty() {
        await("Expected " + name() + " to be empty", semaphore::status, TestBulkhead::isEmpty);
    }

    /**
     * Empties the bulkhead: releases its own permits, revokes the permits of all holders in all applications, and undoes
     * {@link RedisSemaphore#resize}. Waiting calls get permits meanwhile, and lose them. Executions continue, unless
     * {@code on-lost=interrupt} is set. If they matter to the test, also wait for their ends.
     *
     * @throws AssertionError when new holders keep coming until the timeout; it lists the holders and waiters
     */
    public void empty() {
        free();
        await("Expected " + name() + " to become empty", this::revokeAll, TestBulkhead::isEmpty);
    }

    private SemaphoreStatus revokeAll() {
        semaphore.resetSize();
        semaphore.holders().forEach(holder -> semaphore.revoke(holder.permitId()));
        return semaphore.status();
    }

    /**
     * Simulates an outage for all bulkheads and locks of the application, from now on until the result is closed. Calls follow
     * {@code on-outage} immediately, without a wait for {@code command-timeout}. Permits are not renewed, and waiting calls
     * miss messages. This object uses the same store, so its methods fail as well.
     *
     * @return the outage; closing it ends it, as does {@link #close()}
     * @throws IllegalStateException when this is closed, or there is no application in this process
     */
    public Simulation outage() {
        requireOpen();
        return simulation(store().outage());
    }

    /**
     * Delays each answer of Redis to the application, and each message, until the result is closed. No thread is blocked.
     *
     * @param delay more than zero, and less than {@code command-timeout}; for a Redis that does not answer in time, use
     *        {@link #outage()}
     * @return the delay; closing it ends it, as does {@link #close()}
     * @throws IllegalStateException as for {@link #outage()}
     * @throws IllegalArgumentException when the delay is null, too short or too long
     */
    public Simulation slow(Duration delay) {
        requirePositive("delay", delay);
        requireOpen();
        return simulation(store().slow(delay));
    }

    private Simulation simulation(Runnable end) {
        Simulation simulation = end::run;
        simulations.add(simulation);
        return simulation;
    }

    /**
     * Lets a call lose its permit: the oldest permit that is held, apart from the permits of this object.
     *
     * @return the holder that lost it
     * @throws AssertionError when no call holds a permit; it lists the holders and waiters
     * @throws BulkheadException when Redis cannot be asked
     * @throws IllegalStateException as for {@link #outage()}
     */
    public Holder loseOldest() {
        Set<String> ownIds = ownIds();
        Holder oldest = semaphore.holders().stream()
                .filter(holder -> holder.state() == Holder.State.HELD && !ownIds.contains(holder.permitId()))
                .min(Comparator.comparingLong(Holder::ticket))
                .orElseThrow(() -> new AssertionError("Expected a call to hold a permit of " + name() + ".\n" + occupants()));
        lose(oldest.permitId());
        return oldest;
    }

    /**
     * Lets an execution of this process lose its permit, as if Redis had lost its data. When this returns, the permit is not
     * held, {@code on-lost} applies, and the event {@link PermitLost} is on its way. The permit is free for others.
     *
     * @param permitId the permit, as {@link Permit#id()} or {@link Holder#permitId()}
     * @throws AssertionError when no execution of this process holds it; it lists the holders and waiters
     * @throws IllegalStateException as for {@link #outage()}
     */
    public void lose(String permitId) {
        nonNull(permitId, "permitId");
        requireOpen();
        if (!store().lose(semaphore.spec().name(), semaphore.key(), permitId)) {
            throw new AssertionError("Expected permit " + permitId + " of " + name() + " to be held.\n" + occupants());
        }
    }

    private SimulatedStore store() {
        ArcContainer application = Arc.container();
        if (application == null) {
            throw new IllegalStateException(
                    "Only the store of an application in this process can be simulated. Use @QuarkusTest");
        }
        return application.instance(SimulatedStore.class).get();
    }

    private static boolean isEmpty(SemaphoreStatus now) {
        return now.inUse() == 0 && now.waiting() == 0;
    }

    /** Ends what it simulates, gives back all permits that it took itself, and takes no more. Those of others stay. */
    @Override
    public void close() {
        closed = true;
        simulations.forEach(Simulation::close);
        free();
    }

    private void await(String expected, Supplier<SemaphoreStatus> question, Predicate<SemaphoreStatus> reached) {
        long begun = System.nanoTime();
        boolean last;
        String found;
        BulkheadException failure;
        do {
            last = isOver(begun);
            try {
                SemaphoreStatus now = question.get();
                if (reached.test(now)) {
                    return;
                }
                found = now.inUse() + " of " + now.limit() + " permits are in use, and " + now.waiting() + " wait";
                failure = null;
            } catch (BulkheadException e) {
                found = e.getMessage();
                failure = e;
            }
            LockSupport.parkNanos(last ? 0 : Duration.ofMillis(POLL_MILLIS).toNanos());
            requireNotInterrupted();
        } while (!last);
        throw new AssertionError(expected + " within " + timeout.toMillis() + " ms, but " + found + ".\n" + occupants(),
                failure);
    }

    private boolean isOver(long begun) {
        return System.nanoTime() - begun >= timeout.toNanos();
    }

    private void requireNotInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new BulkheadUnavailableException(semaphore.spec().name(), "the thread was interrupted while it waited", null);
        }
    }

    private String occupants() {
        return OccupantsText.of(semaphore, ownIds());
    }

    private Set<String> ownIds() {
        return own.stream().map(Permit::id).collect(Collectors.toSet());
    }

    private String name() {
        return "bulkhead '" + semaphore.spec().name() + "'" + semaphore.key().map(key -> " for key '" + key + "'").orElse("");
    }

    private static void requirePositive(String name, Duration time) {
        if (time == null || time.isZero() || time.isNegative()) {
            throw new IllegalArgumentException(name + " must be more than zero, but is " + time);
        }
    }

    private static void requireAtLeast(int least, int count) {
        if (count < least) {
            throw new IllegalArgumentException("The number must be at least " + least + ", but is " + count);
        }
    }

    @Override
    public String toString() {
        return "TestBulkhead of " + name();
    }
}
