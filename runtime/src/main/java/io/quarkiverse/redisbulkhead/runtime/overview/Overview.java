package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * What operators see and change: the bulkheads that this application defines, and whatever else is in use under the same key
 * prefix. Thread-safe.
 */
public final class Overview {

    /** Why the request of an operator fails. The message is for operators. */
    public static final class Problem extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int status;

        /**
         * Creates a problem.
         *
         * @param status the HTTP status
         * @param message what is wrong, and the remedy
         */
        public Problem(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        /**
         * The problem behind a failure. It names no server: that stays in the log.
         *
         * @param failure what a request failed with
         * @return with status 500 if the failure is unexpected
         */
        public static Problem of(Throwable failure) {
            Throwable cause = Failures.cause(failure);
            if (cause instanceof Problem problem) {
                return problem;
            }
            if (cause instanceof BulkheadContendedException || StoreException.is(cause, Kind.CONTENDED)) {
                return new Problem(503, "Too many operations compete. Try again");
            }
            if (cause instanceof BulkheadUnavailableException || cause instanceof StoreException) {
                boolean isAway = StoreException.is(cause, Kind.AWAY) || StoreException.is(cause.getCause(), Kind.AWAY);
                return new Problem(503, isAway ? "Redis is not available. Try again later"
                        : "Redis refused the command. See the log of the application");
            }
            return new Problem(500, "The request failed. See the log of the application");
        }

        /**
         * The HTTP status.
         *
         * @return from 400
         */
        public int status() {
            return status;
        }
    }

    /** How many limits a snapshot shows beyond those that this application defines. */
    public static final int MOST_LIMITS = 500;

    /** How many holders, and how many waiters, a snapshot lists for each limit. */
    public static final int MOST_LISTED = 1_000;

    // Less than the second after which the Dev UI reads again, which must not miss a turn.
    private static final long FRESH_NANOS = Duration.ofMillis(950).toNanos();

    /** What to ask about when it does not matter; no bulkhead can have that name. */
    private static final BulkheadId NO_BULKHEAD = BulkheadId.of(" ");

    // Calls that ask for permits go over the same connections, and must not wait behind all of this.
    private static final int AT_ONCE = 8;

    private final Map<String, EffectiveBulkhead> declared;
    private final Function<String, Optional<EffectiveBulkhead>> inCode;
    private final Supplier<List<String>> listedInCode;
    private final Function<String, RedisSemaphore> semaphores;
    private final Supplier<Engine> engine;
    private final LongSupplier nanoTime;

    // The last reading, and when it began. Guarded by this.
    private CompletableFuture<Snapshot> latest;
    private long begunAt;

    /**
     * Reads nothing yet.
     *
     * @param declared the bulkheads that annotations of this application declare, by name
     * @param inCode finds those that its code has defined so far, by name
     * @param listedInCode names some of those, which are shown while they are idle, too
     * @param semaphores makes those that operators change, by name; refuses names that are invalid with
     *        {@link IllegalArgumentException}
     * @param engine knows who holds and who waits; asked for when that is looked up, because it may not be made yet
     * @param nanoTime a clock for intervals
     */
    public Overview(Map<String, EffectiveBulkhead> declared, Function<String, Optional<EffectiveBulkhead>> inCode,
            Supplier<List<String>> listedInCode, Function<String, RedisSemaphore> semaphores, Supplier<Engine> engine,
            LongSupplier nanoTime) {
        this.declared = declared;
        this.inCode = inCode;
        this.listedInCode = listedInCode;
        this.semaphores = semaphores;
        this.engine = engine;
        this.nanoTime = nanoTime;
    }

    /**
     * The bulkheads that annotations of this application declare.
     *
     * @return by name
     */
    public Map<String, EffectiveBulkhead> declared() {
        return declared;
    }

    private Optional<EffectiveBulkhead> definition(String name) {
        return Optional.ofNullable(declared.get(name)).or(() -> inCode.apply(name));
    }

    // ---- Looking

    /**
     * All bulkheads. A reading is one look through the keys in Redis, and one request for each limit, so callers share it while
     * it is under way, and for a second.
     *
     * @return the state; fails with {@link io.quarkiverse.redisbulkhead.runtime.store.StoreException} when Redis gives no
     *         answer, and not with an exception that names a bulkhead: it is about all
     */
    public Uni<Snapshot> snapshot() {
        // A copy, because a caller that cancels must not cancel the others.
        return Uni.createFrom().completionStage(() -> shared().copy());
    }

    private synchronized CompletableFuture<Snapshot> shared() {
        long now = nanoTime.getAsLong();
        if (latest == null || latest.isDone() && now - begunAt >= FRESH_NANOS) {
            begunAt = now;
            latest = read().subscribeAsCompletionStage();
        }
        return latest;
    }

    private synchronized void forget() {
        latest = null;
    }

    private Uni<Snapshot> read() {
        Instant at = Instant.now();
        return Uni.createFrom().completionStage(() -> engine.get().inUse(MOST_LIMITS)).chain(inUse -> {
            List<String> here = listedInCode.get();
            SortedSet<BulkheadId> shown = new TreeSet<>(inUse.bulkheads());
            declared.forEach((name, bulkhead) -> {
                if (!bulkhead.keyed()) {
                    shown.add(BulkheadId.of(name));
                }
            });
            here.stream().map(BulkheadId::of).forEach(shown::add);
            return Multi.createFrom().iterable(shown).onItem().transformToUni(this::look).merge(AT_ONCE).collect()
                    .in(TreeMap<BulkheadId, Row>::new, (rows, row) -> rows.put(row.id(), row))
                    .chain(rows -> {
                        List<Row> unread = rows.values().stream().filter(row -> row.now() == null).toList();
                        return unread.isEmpty() || unread.size() < rows.size()
                                ? Uni.createFrom().item(snapshot(at, inUse, here, rows.values(), unread))
                                : Uni.createFrom().failure(unread.get(0).failure());
                    });
        });
    }

    /** One limit; without a state it could not be read, for example because its key in Redis holds something else. */
    private record Row(BulkheadId id, Occupancy now, Throwable failure) {

        boolean isUsed() {
            return now != null && (now.inUse() > 0 || now.idle() > 0 || now.waiting() > 0);
        }
    }

    // An outage is one of all.
    private Uni<Row> look(BulkheadId id) {
        return Uni.createFrom().completionStage(() -> engine.get().occupancy(id, MOST_LISTED))
                .map(now -> new Row(id, now, null))
                .onFailure(failure -> !StoreException.is(failure, Kind.AWAY))
                .recoverWithItem(failure -> new Row(id, null, Failures.cause(failure)));
    }

    private Snapshot snapshot(Instant at, BulkheadsInUse inUse, List<String> here, Collection<Row> rows, List<Row> unread) {
        SortedMap<String, List<Row>> byName = new TreeMap<>();
        Stream.of(declared.keySet(), here, inUse.keysWithoutText().keySet()).flatMap(Collection::stream)
                .forEach(name -> byName.put(name, List.of()));
        byName.putAll(rows.stream().filter(row -> row.now() != null && (row.isUsed() || byName.containsKey(row.id().name())))
                .collect(Collectors.groupingBy(row -> row.id().name())));
        return new Snapshot(at, byName.entrySet().stream()
                .map(one -> state(one.getKey(), one.getValue(), inUse.keysWithoutText().getOrDefault(one.getKey(), 0)))
                .toList(),
                incomplete(inUse, unread));
    }

    private BulkheadState state(String name, List<Row> rows, int withoutText) {
        EffectiveBulkhead annotated = declared.get(name);
        // Whether another bulkhead has keys shows only while keys are in use.
        boolean keyed = annotated != null ? annotated.keyed()
                : withoutText > 0 || rows.stream().anyMatch(row -> row.isUsed() && row.id().key().isPresent());
        Optional<EffectiveBulkhead> definition = definition(name);
        List<LimitState> limits = rows.stream().filter(row -> row.isUsed() || !keyed && row.id().key().isEmpty())
                .map(row -> limit(row.id(), row.now(), definition)).toList();
        return new BulkheadState(name, annotated != null, definition, keyed, limits, withoutText);
    }

    private static Optional<String> incomplete(BulkheadsInUse inUse, List<Row> unread) {
        if (unread.isEmpty()) {
            return inUse.incomplete();
        }
        String why = "what Redis keeps for " + unread.stream().map(row -> "'" + row.id().name() + "'").distinct()
                .collect(Collectors.joining(", ")) + " could not be read";
        return Optional.of(inUse.incomplete().map(reason -> reason + "; " + why).orElse(why));
    }

    private static LimitState limit(BulkheadId id, Occupancy now, Optional<EffectiveBulkhead> definition) {
        OptionalInt limit = definition.isPresent()
                ? OptionalInt.of(Semaphore.limitInForce(id, definition.get().spec(), now))
                : id.name().startsWith(LockSpec.BULKHEAD_PREFIX) ? OptionalInt.of(1)
                        : now.resizedTo().isPresent() || now.declaredLimits().size() != 1 ? now.resizedTo()
                                : OptionalInt.of(now.declaredLimits().first());
        return new LimitState(id.key(), limit, now);
    }

    /**
     * Looks at the numbers of one bulkhead without keys.
     *
     * @param name the bulkhead
     * @return its state without holders and waiters; fails as the store does
     */
    public CompletionStage<LimitState> numbers(String name) {
        BulkheadId id = BulkheadId.of(name);
        return engine.get().numbers(id).thenApply(now -> limit(id, now, definition(name)));
    }

    /**
     * Asks Redis something small, in the way in which calls ask it.
     *
     * @return completes when it answers; fails with {@link io.quarkiverse.redisbulkhead.runtime.store.StoreException} when it
     *         refuses, after {@code command-timeout} when it is away, and after ten times that when it is only slow
     */
    public CompletionStage<?> ask() {
        return engine.get().numbers(NO_BULKHEAD);
    }

    // ---- Changing

    /**
     * Changes one limit. Redis is not read for bulkheads that are declared. A mistyped name is refused: acting on it would
     * leave a limit in Redis for a bulkhead that does not exist.
     *
     * @param <T> the answer
     * @param name the bulkhead
     * @param key its key; empty when no key is meant, which is something else than the empty key
     * @param change what to do; later snapshots show it
     * @return the answer; fails with {@link Problem} when there is no such limit, or it must not be changed
     */
    public <T> Uni<T> change(String name, Optional<String> key, Function<RedisSemaphore, Uni<T>> change) {
        if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            return Uni.createFrom().failure(new Problem(409,
                    "'" + name + "' belongs to a lock, which operators cannot change. In code, use RedisLock.revoke()"));
        }
        Uni<BulkheadState> state = declared.containsKey(name) ? Uni.createFrom().item(() -> state(name, List.of(), 0))
                : snapshot().map(snapshot -> snapshot.bulkhead(name));
        return state.chain(bulkhead -> change.apply(limit(bulkhead, key)).onTermination().invoke(this::forget));
    }

    // Code may use the same name with keys and without.
    private RedisSemaphore limit(BulkheadState state, Optional<String> key) {
        String name = state.name();
        if (key.isEmpty() && state.keyed() && state.limits().stream().noneMatch(limit -> limit.key().isEmpty())) {
            throw new Problem(400, "Bulkhead '" + name + "' has one limit for each key. Specify the key");
        }
        if (key.isPresent() && !state.keyed() && (state.declared() || state.definition().isEmpty())) {
            throw new Problem(400, "Bulkhead '" + name + "' has one limit for all calls. Omit the key");
        }
        RedisSemaphore bulkhead = semaphore(name);
        return key.map(bulkhead::forKey).orElse(bulkhead);
    }

    private RedisSemaphore semaphore(String name) {
        try {
            return semaphores.apply(name);
        } catch (IllegalArgumentException e) {
            // It was written to Redis by hand.
            throw new Problem(404, "No bulkhead can have that name: " + e.getMessage());
        }
    }
}
