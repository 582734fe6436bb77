package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;

/** What all bulkheads of one engine work with. Thread-safe. */
final class Surroundings {

    private static final int RADIX = 36;
    private static final Duration CLOCK_TOLERANCE = Duration.ofMillis(100);
    private static final char WEIGHT_FOLLOWS = '_';
    private static final int MOST_NAMES = 1_000;
    private static final String OTHERS = "";

    final Timers timers;
    // Null for an engine of this process only.
    final ShareStore store;
    final HolderIdentity identity;
    final WaiterLimits limits;
    final SemaphoreListener listener;
    // Whether tokens are fencing tokens; not when another store issues them, too.
    final boolean fenced;
    // How long a call that does not want to wait may take.
    final Duration commandTimeout;
    // From 0 to 1, so that instances do not try again together.
    final DoubleSupplier random;
    // In letters and digits, and new at each start.
    final String instance;

    private final Map<String, RecentExecutions> recent = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong tokenFloor = new AtomicLong();

    // Guarded by this.
    private Instant wallOrigin;
    private long wallOriginNanos;

    // Zero: never.
    private volatile Function<BulkheadId, Duration> warnAfter = bulkhead -> Duration.ZERO;

    private volatile boolean stopping;
    private volatile boolean deaf;
    private volatile boolean keepsNothing;

    Surroundings(String instance, ShareStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            WaiterLimits limits, boolean fenced, Duration commandTimeout, DoubleSupplier random) {
        this.instance = instance;
        this.store = store;
        this.timers = timers;
        this.identity = identity;
        this.listener = listener;
        this.limits = limits;
        this.fenced = fenced;
        this.commandTimeout = commandTimeout;
        this.random = random;
    }

    /** What was seen lately of a bulkhead. Names may be computed, so those beyond the first ones share what was seen. */
    RecentExecutions recent(String bulkhead) {
        RecentExecutions known = recent.get(bulkhead);
        return known != null ? known
                : recent.computeIfAbsent(recent.size() < MOST_NAMES ? bulkhead : OTHERS, missing -> new RecentExecutions());
    }

    /**
     * The id of a permit, unique among all instances. It names the instance, which is asked to revoke it, and the weight, for
     * the case that the instance does not answer.
     */
    String newId(int weight) {
        String id = instance + '-' + Long.toString(ids.incrementAndGet(), RADIX);
        return weight == 1 ? id : id + WEIGHT_FOLLOWS + weight;
    }

    /** The instance that has issued the id of a permit; empty for other texts. */
    static String instanceOf(String permitId) {
        return permitId.substring(0, Math.max(0, permitId.lastIndexOf('-')));
    }

    /** The weight of a permit, by its id. */
    static int weightOf(String permitId) {
        int mark = permitId.lastIndexOf(WEIGHT_FOLLOWS);
        try {
            return mark < 0 ? 1 : Integer.parseInt(permitId.substring(mark + 1));
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    /**
     * Only grows, over all bulkheads: one that is forgotten and comes back must not repeat numbers.
     */
    long newNumber() {
        return numbers.incrementAndGet();
    }

    /**
     * The time of the wall clock at a time of the timers. The same for the same time, unless the wall clock was set.
     *
     * @param nanos by {@link Timers#nanoTime()}
     */
    synchronized Instant wallTime(long nanos) {
        long now = timers.nanoTime();
        Instant clock = Instant.now();
        if (wallOrigin == null || Duration.between(clock, wallOrigin.plusNanos(now - wallOriginNanos)).abs()
                .compareTo(CLOCK_TOLERANCE) > 0) {
            wallOrigin = clock;
            wallOriginNanos = now;
        }
        return wallOrigin.plusNanos(nanos - wallOriginNanos);
    }

    /** The first token of a bulkhead of this process, above those of its predecessor. */
    long firstLocalToken(long wallMicros) {
        return Math.max(wallMicros, tokenFloor.get() + 1);
    }

    /** A bulkhead of this process is forgotten. */
    void raiseTokenFloor(long token) {
        tokenFloor.accumulateAndGet(token, Math::max);
    }

    void setWarnAfter(Function<BulkheadId, Duration> time) {
        warnAfter = time;
    }

    /** When an execution that still holds its permit is reported. */
    long warnAfterNanos(BulkheadId bulkhead) {
        Duration time = warnAfter.apply(bulkhead);
        return time.isZero() ? Long.MAX_VALUE : time.toNanos();
    }

    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /** This instance may miss recalls from now on, or hears them again. */
    void setDeaf(boolean isDeaf) {
        deaf = isDeaf;
    }

    void setKeepsNothing(boolean nothing) {
        keepsNothing = nothing;
    }

    /** Whether permits may stay here when their executions have ended. */
    boolean mayKeep() {
        return !deaf && !keepsNothing && !stopping;
    }
}
