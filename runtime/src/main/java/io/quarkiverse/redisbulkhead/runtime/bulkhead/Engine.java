package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.LocalShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview.Share;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.Peers;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Hold;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/**
 * All bulkheads that this instance uses now: creates and forgets them, passes the messages of the store on, answers operators,
 * and stops. Stages fail as the store does. Thread-safe.
 */
public final class Engine implements ConnectionListener {

    /**
     * Who acquires the permits of this process, as operators see it.
     *
     * @param application the application's name
     * @param instance its host and process, as {@code host:pid}
     */
    public record HolderIdentity(String application, String instance) {
    }

    /**
     * What this instance has seen lately of one bulkhead, over all its keys: how long executions take, and since when calls
     * find it full. Updates that race may overwrite each other: one execution more or less does not change an estimate much.
     * <p>
     * The mean is weighted exponentially: each execution counts for one eighth, as round trips do in RFC 6298.
     */
    static final class RecentExecutions {

        private static final int SMOOTHING = 8;
        // After a minute without rejections, the bulkhead was not full meanwhile.
        private static final long FULL_ENDS_NANOS = Duration.ofMinutes(1).toNanos();

        private long meanNanos;
        private boolean full;
        private long fullSince;
        private long lastFull;

        void acquired() {
            if (full) {
                full = false;
            }
        }

        void ended(long nanos) {
            meanNanos = Math.max(1, meanNanos == 0 ? nanos : meanNanos + (nanos - meanNanos) / SMOOTHING);
        }

        void foundFull(long now) {
            if (!full || now - lastFull > FULL_ENDS_NANOS) {
                fullSince = now;
            }
            lastFull = now;
            full = true;
        }

        /**
         * Estimates when a call that comes now gets a permit: behind those that wait here, one permit becoming free per mean
         * execution and permit. As long as no call of this instance gets a permit, the estimate grows with that time, because
         * executions of other instances, and those that hang, are not in the mean.
         *
         * @return zero when nothing is known
         */
        Duration untilFree(int waiting, int permits, long now) {
            return Duration.ofNanos(Math.max((long) (meanNanos * (waiting + 1.0) / permits), full ? now - fullSince : 0));
        }
    }

    private static final Logger LOG = Logger.getLogger(Engine.class);

    private static final String LOOK = "look";
    private static final String REVOKE = "revoke";
    private static final String YES = "yes";
    private static final String NO = "no";
    /** How many instances a look lists, and how many of them are asked; the others are shown with their shares. */
    private static final int MOST_LISTED = 1_000;
    private static final int MOST_ASKED = 100;

    private static final int RADIX = 36;
    private static final char WEIGHT_FOLLOWS = '_';
    private static final int MOST_NAMES = 1_000;
    private static final String OTHERS = "";

    final Timers timers;
    final ShareStore store;
    final HolderIdentity identity;
    final WaiterLimits limits;
    final Listeners listeners = new Listeners();
    // How long a call that does not want to wait may take.
    final Duration commandTimeout;
    // From 0 to 1, so that instances do not try again together.
    final DoubleSupplier random;
    // In letters and digits, and new at each start.
    final String instance;
    // Null if instances cannot ask each other.
    private final Peers peers;
    private final Map<BulkheadId, Bulkhead> bulkheads = new ConcurrentHashMap<>();
    private final Map<String, RecentExecutions> recent = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();

    private volatile Function<BulkheadId, Duration> warnAfter = bulkhead -> Duration.ZERO;
    private volatile boolean stopping;
    private volatile boolean deaf;
    private volatile boolean keepsNothing;

    /**
     * An engine over the store that instances share. Its waiting calls and those of the outage policy {@code local} are
     * counted together.
     *
     * @param instance the name of this instance in the ids of permits, in lower-case letters, digits and {@code -}; new at each
     *        start, and what its name in the store ends with
     * @param store where shares live
     * @param peers the other instances; null if they cannot ask each other who holds what
     * @param timers the clock
     * @param identity who acquires permits here, as operators see it
     * @param listener receives events
     * @param limits bounds the waiting calls
     * @param commandTimeout how long a call that does not want to wait may take
     */
    public Engine(String instance, ShareStore store, Peers peers, Timers timers, HolderIdentity identity,
            SemaphoreListener listener, WaiterLimits limits, Duration commandTimeout) {
        this(instance, store, peers, timers, identity, listener, limits, commandTimeout,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * An engine for this process only.
     *
     * @param instance the name of this instance, in lower-case letters and digits
     * @param timers the clock
     * @param identity who acquires permits here, as operators see it
     * @param listener receives events
     * @param limits bounds the waiting calls
     */
    public Engine(String instance, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            WaiterLimits limits) {
        this(instance, new LocalShareStore(timers::nanoTime, false), null, timers, identity, listener, limits, Duration.ZERO,
                () -> 1);
    }

    Engine(String instance, ShareStore store, Peers peers, Timers timers, HolderIdentity identity,
            SemaphoreListener listener, WaiterLimits limits, Duration commandTimeout, DoubleSupplier random) {
        this.instance = instance;
        this.store = store;
        this.peers = peers;
        this.timers = timers;
        this.identity = identity;
        listeners.add(listener);
        this.limits = limits;
        this.commandTimeout = commandTimeout;
        this.random = random;
        store.listen(this::received);
        if (peers != null) {
            peers.answerWith(this::answer);
        }
    }

    /** Adds a listener. */
    public void listen(SemaphoreListener listener) {
        listeners.add(listener);
    }

    // ---- Bulkheads

    Bulkhead bulkhead(SemaphoreDefinition definition) {
        Bulkhead known = bulkheads.get(definition.id());
        return known != null ? known : bulkheads.computeIfAbsent(definition.id(), id -> new Bulkhead(id, definition, this));
    }

    void forget(Bulkhead bulkhead) {
        bulkheads.remove(bulkhead.id, bulkhead);
    }

    /** As {@link Semaphore#attach}. */
    CompletionStage<HeldPermit> attach(SemaphoreDefinition definition, String token, String method) {
        DetachedPermit detached = DetachedPermit.parse(token);
        CompletionStage<HeldPermit> permit = null;
        while (permit == null) {
            permit = bulkhead(definition).attach(definition, detached, method);
        }
        return permit;
    }

    // ---- What bulkheads ask

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

    // Empty for other texts.
    private static String issuerOf(String permitId) {
        return permitId.substring(0, Math.max(0, permitId.lastIndexOf('-')));
    }

    private static int weightOf(String permitId) {
        int mark = permitId.lastIndexOf(WEIGHT_FOLLOWS);
        try {
            return mark < 0 ? 1 : Integer.parseInt(permitId.substring(mark + 1));
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    /** Only grows, over all bulkheads: one that is forgotten and comes back must not repeat numbers. */
    long newNumber() {
        return numbers.incrementAndGet();
    }

    /** The time of the wall clock at a time of the timers. */
    Instant wallTime(long nanos) {
        return Instant.now().plusNanos(nanos - timers.nanoTime()).truncatedTo(ChronoUnit.MILLIS);
    }

    /** When an execution that still holds its permit is reported. */
    long warnAfterNanos(BulkheadId bulkhead) {
        Duration time = warnAfter.apply(bulkhead);
        return time.isZero() ? Long.MAX_VALUE : time.toNanos();
    }

    /** Whether permits may stay here when their executions have ended. */
    boolean mayKeep() {
        return !deaf && !keepsNothing && !stopping;
    }

    /**
     * Reports executions that hold their permits for long.
     *
     * @param time for how long, by bulkhead; zero for never. Asked once per bulkhead
     */
    public void warnAfter(Function<BulkheadId, Duration> time) {
        warnAfter = time;
    }

    /**
     * Estimates when a call that comes now gets a permit, from what this instance has seen lately.
     *
     * @param bulkhead the bulkhead, or one of its keys
     * @param permits the limit that is in force, at least 1
     * @return zero when nothing is known
     */
    public Duration untilFree(BulkheadId bulkhead, int permits) {
        Bulkhead here = bulkheads.get(bulkhead);
        return recent(bulkhead.name()).untilFree(here == null ? 0 : here.waitingCalls(), permits, timers.nanoTime());
    }

    // ---- Messages

    private void received(ShareMessage message) {
        Bulkhead bulkhead = bulkheads.get(message.bulkhead());
        // One that is forgotten holds nothing and waits for nothing.
        if (bulkhead != null) {
            bulkhead.sync.received(message);
        }
    }

    @Override
    public void reconnected(Predicate<BulkheadId> which) {
        bulkheads.values().stream().filter(bulkhead -> which.test(bulkhead.id)).forEach(bulkhead -> bulkhead.sync.restate());
    }

    @Override
    public void availabilityChanged() {
        bulkheads.values().forEach(bulkhead -> bulkhead.sync.reconsider());
    }

    /** As long as this instance does not hear recalls, it keeps no idle permits. */
    @Override
    public void hearsRecalls(boolean hears) {
        deaf = !hears;
        if (!hears) {
            bulkheads.values().forEach(bulkhead -> bulkhead.sync.deaf());
        }
    }

    /**
     * Whether idle permits stay with this instance, for tests of applications. If not, each call asks the store.
     *
     * @param keeps {@code false}: all idle permits go back, and none stays from now on
     */
    public void keepIdle(boolean keeps) {
        keepsNothing = !keeps;
        if (!keeps) {
            bulkheads.values().forEach(bulkhead -> bulkhead.sync.returnIdle());
        }
    }

    /**
     * Lets an execution of this instance lose its permit as if the store had lost it, for tests of applications.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @return {@code false} when no execution of this instance holds it
     */
    public boolean lose(BulkheadId bulkhead, String permitId) {
        return end(bulkhead, permitId, Reason.GONE);
    }

    // ---- Operators

    /**
     * The holders and waiters of all instances. Those that keep idle permits are asked how many they use, and all that hold or
     * wait are asked for their rows if there are to be any.
     *
     * @param bulkhead the bulkhead; any, whether this instance uses it or not
     * @param most how many of each to list at most
     * @return the state, after the releases of this instance
     */
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return store.look(bulkhead, MOST_LISTED).thenCompose(seen -> {
            Instant seenAt = Instant.now();
            List<String> asked = peers == null ? List.of()
                    : seen.shares().stream()
                            .filter(share -> !isThis(share) && (share.permits() > 0 || share.waiting() > 0)
                                    && (share.keeps() || most > 0 || share.waiting() >= Statement.MAX_PLACED))
                            .map(Share::instance).limit(MOST_ASKED).toList();
            return reports(bulkhead, asked, most).thenApply(reports -> occupancy(bulkhead, seen, seenAt, asked, reports, most));
        });
    }

    /**
     * The numbers of all instances as the store has them, without a message to another instance. What others keep idle, for
     * {@code keep-idle} at most, counts as in use.
     *
     * @param bulkhead the bulkhead
     * @return without holders and waiters
     */
    public CompletionStage<Occupancy> numbers(BulkheadId bulkhead) {
        return store.look(bulkhead, MOST_LISTED)
                .thenApply(seen -> occupancy(bulkhead, seen, Instant.now(), List.of(), Map.of(), 0));
    }

    private CompletionStage<Map<String, Occupancy>> reports(BulkheadId bulkhead, List<String> asked, int most) {
        if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        return peers.ask(asked, request(LOOK, bulkhead, Integer.toString(most))).thenApply(answers -> {
            Map<String, Occupancy> reports = new HashMap<>();
            answers.forEach((instance, text) -> {
                try {
                    reports.put(instance, Occupancy.parse(bulkhead, text));
                } catch (RuntimeException e) {
                    // Counts as silent: any client that may publish can answer.
                    LOG.debugf(e, "Instance %s sent a malformed answer", instance);
                }
            });
            return reports;
        });
    }

    private boolean isThis(Share share) {
        return share.instance().equals(peers == null ? instance : peers.ownName());
    }

    private static String request(String kind, BulkheadId bulkhead, String detail) {
        return String.join(" ", kind, Occupancy.encoded(bulkhead.name()),
                bulkhead.key().map(Occupancy::encoded).orElse("-"), detail);
    }

    private CompletionStage<String> answer(String request) {
        StringTokenizer words = new StringTokenizer(request);
        String kind = words.nextToken();
        BulkheadId unkeyed = BulkheadId.of(Occupancy.decoded(words.nextToken()));
        String key = words.nextToken();
        BulkheadId bulkhead = key.equals("-") ? unkeyed : unkeyed.forKey(Occupancy.decoded(key));
        String detail = words.nextToken();
        String answer = switch (kind) {
            case LOOK -> here(bulkhead, Integer.parseInt(detail)).text(identity.instance());
            case REVOKE -> end(bulkhead, detail, Reason.REVOKED) ? YES : NO;
            default -> NO;
        };
        return CompletableFuture.completedFuture(answer);
    }

    /** The executions and waiting calls of this instance, from memory. */
    Occupancy here(BulkheadId bulkhead, int most) {
        Bulkhead here = bulkheads.get(bulkhead);
        return here == null ? Occupancy.ofInstance(0, 0, List.of(), List.of()) : here.occupancy(most);
    }

    // Executions as their instances know them. Of an instance that did not answer, what the store knows.
    private Occupancy occupancy(BulkheadId bulkhead, ShareOverview seen, Instant now, List<String> asked,
            Map<String, Occupancy> reports, int most) {
        Occupancy own = here(bulkhead, most);
        List<Holder> holders = new ArrayList<>(own.holders());
        List<Waiter> waiters = new ArrayList<>(own.waiters());
        int inUse = own.inUse();
        int waiting = own.waiting();
        SortedMap<String, Integer> idle = new TreeMap<>();
        for (Share share : seen.shares()) {
            Occupancy report = reports.get(share.instance());
            if (isThis(share)) {
                addIdle(idle, identity.instance(), share.permits() - own.inUse());
            } else if (report != null) {
                int used = Math.min(report.inUse(), share.permits());
                inUse += used;
                addIdle(idle, report.idleAt().firstKey(), share.permits() - used);
                waiting += report.waiting();
                holders.addAll(report.holders());
                waiters.addAll(report.waiters());
            } else {
                inUse += share.permits();
                waiting += share.waiting();
                if (share.permits() > 0) {
                    holders.add(new Holder(share.instance(), bulkhead.name(), bulkhead.key(), 0, share.permits(), "",
                            share.instance(), "", now.minusMillis(share.statedMillis()), now.plusMillis(share.leaseMillis()),
                            asked.contains(share.instance()) ? Holder.State.SILENT : Holder.State.HELD));
                }
            }
        }
        for (Hold hold : seen.holds()) {
            inUse += hold.weight();
            holders.add(new Holder(hold.id(), bulkhead.name(), bulkhead.key(), 0, hold.weight(), "", "", hold.method(),
                    now.minusMillis(hold.startedMillis()), now.plusMillis(hold.leaseMillis()),
                    hold.digest().isEmpty() ? Holder.State.RELEASED : Holder.State.DETACHED));
        }
        holders.sort(Comparator.comparing(Holder::until));
        waiters.sort(Comparator.comparingLong(waiter -> waiter.ticket() == 0 ? Long.MAX_VALUE : waiter.ticket()));
        SortedSet<Integer> declared = new TreeSet<>(seen.declaredLimits());
        Bulkhead here = bulkheads.get(bulkhead);
        if (here != null) {
            declared.add(here.declared());
        }
        return new Occupancy(inUse, idle, waiting, seen.resizedTo(), declared,
                holders.stream().limit(most).toList(), waiters.stream().limit(most).toList());
    }

    private static void addIdle(SortedMap<String, Integer> idle, String instance, int permits) {
        if (permits > 0) {
            idle.merge(instance, permits, Integer::sum);
        }
    }

    /**
     * Revokes a permit.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @return {@code false} when it is not held
     */
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        Bulkhead here = bulkheads.get(bulkhead);
        return here != null && here.end(permitId, Reason.REVOKED) ? here.confirmed().thenApply(done -> true)
                : store.look(bulkhead, MOST_LISTED).thenCompose(seen -> revokeElsewhere(bulkhead, seen, permitId));
    }

    private boolean end(BulkheadId bulkhead, String permitId, Reason reason) {
        Bulkhead here = bulkheads.get(bulkhead);
        return here != null && here.end(permitId, reason);
    }

    private CompletionStage<Boolean> revokeElsewhere(BulkheadId bulkhead, ShareOverview seen, String permitId) {
        if (seen.holds().stream().anyMatch(hold -> hold.id().equals(permitId))) {
            return take(bulkhead, "", permitId, 0);
        }
        String issuer = issuerOf(permitId);
        for (Share share : seen.shares()) {
            if (share.instance().equals(permitId)) {
                // All that an instance has which does not answer.
                return take(bulkhead, permitId, "", share.permits());
            }
            if (peers != null && !isThis(share) && !issuer.isEmpty() && share.instance().endsWith(issuer)) {
                return revokeAt(share.instance(), bulkhead, permitId, false);
            }
        }
        return CompletableFuture.completedFuture(false);
    }

    // What is taken in the store costs the youngest execution of the instance. So it must not have ended the permit by itself:
    // its answer may be lost, or this instance may hear none, which it learns from its own answer.
    private CompletionStage<Boolean> revokeAt(String instance, BulkheadId bulkhead, String permitId, boolean again) {
        return peers.ask(List.of(instance, peers.ownName()), request(REVOKE, bulkhead, permitId)).thenCompose(answers -> {
            String answer = answers.get(instance);
            if (answer != null) {
                return CompletableFuture.completedFuture(again || answer.equals(YES));
            }
            if (!again) {
                return revokeAt(instance, bulkhead, permitId, true);
            }
            return answers.containsKey(peers.ownName())
                    ? take(bulkhead, instance, "", weightOf(permitId))
                    : CompletableFuture.failedStage(new StoreException("this instance hears no answers, so it does not know "
                            + "whether permit " + permitId + " was revoked. Try again, or look at the holders", null));
        });
    }

    private CompletionStage<Boolean> take(BulkheadId bulkhead, String instance, String permitId, int permits) {
        return store.revoke(bulkhead, instance, permitId, permits).thenApply(taken -> taken > 0);
    }

    /**
     * Sets the limit for all instances.
     *
     * @param bulkhead the bulkhead
     * @param permits the limit; 0 to undo that
     * @return whether a limit was set before; completes when the new one is in force, also for the next call of this instance
     */
    public CompletionStage<Boolean> resize(BulkheadId bulkhead, int permits) {
        return store.resize(bulkhead, permits).thenCompose(was -> {
            Bulkhead here = bulkheads.get(bulkhead);
            // The next call of this instance is to find the new limit. Other instances learn it by a message.
            return here == null ? CompletableFuture.completedFuture(was)
                    : here.sync.confirmed().handle((done, failure) -> was);
        });
    }

    /**
     * The bulkheads, and keys of bulkheads, that any instance uses now.
     *
     * @param most how many to return; that many more if this instance uses them
     */
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        Set<BulkheadId> here = inUseHere();
        return store.inUse(most).thenApply(all -> new BulkheadsInUse(
                Stream.concat(all.bulkheads().stream(), here.stream().sorted().limit(most)).sorted().distinct().toList(),
                all.keysWithoutText(), all.incomplete()));
    }

    /**
     * The bulkheads, and keys of bulkheads, at which this instance holds permits or waits, without a request to the store.
     *
     * @return in no order
     */
    public Set<BulkheadId> inUseHere() {
        return bulkheads.values().stream().filter(Bulkhead::isInUse).map(bulkhead -> bulkhead.id)
                .collect(Collectors.toSet());
    }

    // ---- The end of the application

    /**
     * Whether new requests are refused.
     *
     * @return true from {@link #refuseAndRejectWaiters()} on
     */
    public boolean isStopping() {
        return stopping;
    }

    /** Refuses new requests from now on, and rejects all that wait. Executions that hold their permits continue. */
    public void refuseAndRejectWaiters() {
        stopping = true;
        bulkheads.values().forEach(Bulkhead::stop);
    }

    /**
     * Releases all permits that are still held, whether their executions have ended or not. To be called after
     * {@link #refuseAndRejectWaiters()}.
     *
     * @return completes when the store has answered the releases, or they are left to the ends of the leases because it has not
     *         answered for the command timeout; never fails
     */
    public CompletionStage<Void> releaseAll() {
        long until = timers.nanoTime() + commandTimeout.toNanos();
        return CompletableFuture.allOf(
                bulkheads.values().stream().map(bulkhead -> bulkhead.releaseAll(until).toCompletableFuture())
                        .toArray(CompletableFuture[]::new));
    }

    /** Ends the work in the background. What is not released yet is free when its lease ends. */
    public void close() {
        stopping = true;
        bulkheads.values().forEach(Bulkhead::close);
    }

    // ---- For tests

    Bulkhead bulkheadNow(BulkheadId id) {
        return bulkheads.get(id);
    }
}
