package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;

/**
 * Shows all bulkheads: those that this application declares, and whatever else is in use under the same key prefix. Safe for
 * use by many threads.
 */
public final class Overview {

    /** How many limits a snapshot shows beyond those that this application defines. */
    public static final int MOST_LIMITS = 500;

    /** What to ask about when it does not matter; no bulkhead can have that name. */
    private static final BulkheadId NOBODYS = BulkheadId.of(" ");

    /** How many holders, and how many waiters, a snapshot lists of all limits together. */
    static final int MOST_ROWS = 20_000;

    // Calls that ask for permits go over the same connections, and must not wait behind all of this.
    private static final int AT_ONCE = 8;

    private final SortedMap<String, DeclaredBulkhead> declared = new TreeMap<>();
    private final Function<String, Optional<DeclaredBulkhead>> inCode;
    private final Supplier<List<String>> listedInCode;
    private final Supplier<Engine> engine;

    /**
     * Shows nothing yet.
     *
     * @param declared the bulkheads that annotations of this application declare
     * @param inCode finds those that its code has defined so far, by name
     * @param listedInCode names some of those, which are shown while they are idle, too
     * @param engine knows who holds and who waits; asked for when that is looked up, because it may not be made yet
     */
    public Overview(Collection<DeclaredBulkhead> declared, Function<String, Optional<DeclaredBulkhead>> inCode,
            Supplier<List<String>> listedInCode, Supplier<Engine> engine) {
        declared.forEach(bulkhead -> this.declared.put(bulkhead.name(), bulkhead));
        this.inCode = inCode;
        this.listedInCode = listedInCode;
        this.engine = engine;
    }

    /**
     * The bulkheads that annotations of this application declare.
     *
     * @return by name
     */
    public List<DeclaredBulkhead> declared() {
        return List.copyOf(declared.values());
    }

    /**
     * How this application defines a bulkhead, in an annotation or in code.
     *
     * @param name the bulkhead
     * @return without values, places and methods if only code defines it; empty if this application does not define it
     */
    Optional<DeclaredBulkhead> definition(String name) {
        return Optional.ofNullable(declared.get(name)).or(() -> inCode.apply(name));
    }

    /**
     * Looks at all bulkheads. That is one look through the keys in Redis, and one request for each limit that is shown; so
     * ask for it now and then, and not for each call.
     *
     * @param most how many holders, and how many waiters, to list for each limit, from 0 to
     *        {@value io.quarkiverse.redisbulkhead.runtime.store.ShareStore#MAX_LISTED}; fewer where there are very many limits
     * @return the state; fails with {@link io.quarkiverse.redisbulkhead.runtime.store.StoreException} when Redis gives no
     *         answer, and not with an exception that names a bulkhead: it is about all
     */
    public CompletionStage<Snapshot> snapshot(int most) {
        Instant at = Instant.now();
        List<String> here = listedInCode.get();
        return engine.get().inUse(MOST_LIMITS).thenCompose(inUse -> {
            SortedSet<BulkheadId> shown = shown(inUse, here);
            int each = Math.min(most, MOST_ROWS / Math.max(1, shown.size()));
            return look(new ArrayDeque<>(shown), each, new ArrayList<>()).thenApply(rows -> snapshot(at, inUse, here, rows));
        });
    }

    private CompletionStage<List<Row>> look(Queue<BulkheadId> rest, int most, List<Row> rows) {
        List<CompletableFuture<Row>> asked = new ArrayList<>();
        while (asked.size() < AT_ONCE && !rest.isEmpty()) {
            asked.add(look(rest.remove(), most));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenCompose(done -> {
            List<Row> answers = asked.stream().map(CompletableFuture::join).toList();
            boolean someoneAnswered = answers.stream().anyMatch(Row::isRead);
            if (!someoneAnswered && !answers.isEmpty() && (answers.size() == AT_ONCE || rows.stream().noneMatch(Row::isRead))) {
                return CompletableFuture.failedStage(answers.get(0).failure());
            }
            rows.addAll(answers);
            return rest.isEmpty() ? CompletableFuture.completedStage(rows) : look(rest, most, rows);
        });
    }

    private CompletableFuture<Row> look(BulkheadId id, int most) {
        return engine.get().occupancy(id, most)
                .handle((now, failure) -> failure == null ? new Row(id, now, null) : new Row(id, null, Failures.cause(failure)))
                .toCompletableFuture();
    }

    /**
     * Looks at the numbers of one bulkhead without keys.
     *
     * @param name the bulkhead
     * @return its state without holders and waiters; fails as the store does
     */
    public CompletionStage<LimitState> numbers(String name) {
        BulkheadId id = BulkheadId.of(name);
        return engine.get().numbers(id).thenApply(now -> limit(new Row(id, now, null)));
    }

    /**
     * Asks Redis something small, in the way in which calls ask it.
     *
     * @return completes when it answers; fails with {@link io.quarkiverse.redisbulkhead.runtime.store.StoreException} when it
     *         refuses, after {@code command-timeout} when it is away, and after ten times that when it is only slow
     */
    public CompletionStage<Void> ask() {
        return engine.get().numbers(NOBODYS).thenAccept(answer -> {
        });
    }

    /** One limit; without a state it could not be read, for example because its key in Redis holds something else. */
    private record Row(BulkheadId id, Occupancy now, Throwable failure) {

        boolean isRead() {
            return now != null;
        }

        boolean isEmpty() {
            return now.inUse() == 0 && now.idle() == 0 && now.waiting() == 0;
        }
    }

    private SortedSet<BulkheadId> shown(BulkheadsInUse inUse, List<String> here) {
        SortedSet<BulkheadId> shown = new TreeSet<>(inUse.bulkheads());
        engine.get().inUseHere().stream().sorted().limit(MOST_LIMITS).forEach(shown::add);
        declared.values().stream().filter(bulkhead -> !bulkhead.keyed()).map(bulkhead -> BulkheadId.of(bulkhead.name()))
                .forEach(shown::add);
        here.stream().map(BulkheadId::of).forEach(shown::add);
        return shown;
    }

    private Snapshot snapshot(Instant at, BulkheadsInUse inUse, List<String> here, List<Row> rows) {
        Map<String, List<Row>> byName = rows.stream().filter(Row::isRead)
                .filter(row -> !row.isEmpty() || isOneDeclared(row.id()))
                .collect(Collectors.groupingBy(row -> row.id().name()));
        // Whether code uses a bulkhead with keys shows only while keys are in use.
        rows.stream().filter(row -> row.isRead() && row.id().key().isEmpty() && here.contains(row.id().name())
                && !inUse.keysWithoutText().containsKey(row.id().name()))
                .forEach(row -> byName.putIfAbsent(row.id().name(), List.of(row)));
        Set<String> names = Stream.of(declared.keySet(), here, byName.keySet(), inUse.keysWithoutText().keySet())
                .flatMap(Collection::stream).collect(Collectors.toCollection(TreeSet::new));
        List<BulkheadState> bulkheads = new ArrayList<>();
        for (String name : names) {
            List<Row> ofName = byName.getOrDefault(name, List.of());
            int withoutText = inUse.keysWithoutText().getOrDefault(name, 0);
            boolean keyed = Optional.ofNullable(declared.get(name)).map(DeclaredBulkhead::keyed)
                    .orElse(withoutText > 0 || ofName.stream().anyMatch(row -> row.id().key().isPresent()));
            bulkheads.add(new BulkheadState(name, declared.containsKey(name), keyed, ofName.stream().map(this::limit).toList(),
                    withoutText));
        }
        return new Snapshot(at, bulkheads, incomplete(inUse, rows));
    }

    private static Optional<String> incomplete(BulkheadsInUse inUse, List<Row> rows) {
        String unread = rows.stream().filter(row -> !row.isRead()).map(row -> "'" + row.id().name() + "'").distinct()
                .collect(Collectors.joining(", "));
        List<String> reasons = Stream.concat(inUse.incomplete().stream(),
                unread.isEmpty() ? Stream.empty() : Stream.of("what Redis keeps for " + unread + " could not be read"))
                .toList();
        return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
    }

    private boolean isOneDeclared(BulkheadId id) {
        return id.key().isEmpty() && declared.containsKey(id.name());
    }

    private LimitState limit(Row row) {
        Occupancy now = row.now();
        Optional<SemaphoreSpec> spec = definition(row.id().name()).map(DeclaredBulkhead::spec);
        OptionalInt limit = spec.map(known -> OptionalInt.of(Semaphore.limitInForce(row.id(), known, now)))
                .orElseGet(() -> row.id().name().startsWith(LockSpec.BULKHEAD_PREFIX) ? OptionalInt.of(1) : onlyDeclared(now));
        return new LimitState(row.id().key(), limit, now.resizedTo().isPresent(), now.declaredLimits(), now.inUse(),
                now.idle(), now.waiting(),
                now.holders(), now.waiters());
    }

    private static OptionalInt onlyDeclared(Occupancy now) {
        if (now.resizedTo().isPresent()) {
            return now.resizedTo();
        }
        return now.declaredLimits().size() == 1 ? OptionalInt.of(now.declaredLimits().first()) : OptionalInt.empty();
    }
}
