package io.quarkiverse.redisbulkhead.runtime.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview.Problem;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.Peers;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.mutiny.Uni;

class OverviewTest {

    static final Optional<String> NONE = Optional.empty();
    static final SemaphoreSpec REPORTS = SemaphoreSpec.named("reports").permits(3).build();
    static final SemaphoreSpec TENANTS = SemaphoreSpec.named("tenants").permits(2).build();
    static final SemaphoreSpec ELSEWHERE = SemaphoreSpec.named("elsewhere").permits(9).build();

    final InMemoryShareStore server = new InMemoryShareStore(1);
    final SortedSet<BulkheadId> inUse = new TreeSet<>();
    final Map<String, Function<String, CompletionStage<String>>> answering = new HashMap<>();
    int scans;
    long now;
    final Engine engine = engine("one", new Store("one"));
    final Overview overview = overview(engine);
    final List<Admission> admissions = new ArrayList<>();

    /** The store as one instance has it. */
    private class Store extends ObservedShareStore {

        private Store(String instance) {
            super(server.connect(instance), (operation, time, failure) -> {
            });
        }

        @Override
        public CompletionStage<BulkheadsInUse> inUse(int most) {
            scans++;
            return CompletableFuture.completedStage(new BulkheadsInUse(List.copyOf(inUse), Map.of(), Optional.empty()));
        }
    }

    /** How one instance asks the others. */
    private record Asking(String ownName, Map<String, Function<String, CompletionStage<String>>> answers) implements Peers {

        @Override
        public CompletionStage<Map<String, String>> ask(Collection<String> instances, String request) {
            return CompletableFuture.completedStage(instances.stream().filter(answers::containsKey).collect(Collectors.toMap(
                    Function.identity(), name -> answers.get(name).apply(request).toCompletableFuture().join())));
        }

        @Override
        public void answerWith(Function<String, CompletionStage<String>> ownAnswers) {
            answers.put(ownName, ownAnswers);
        }
    }

    /** Time does not pass. */
    private final class NoTime implements Timers {

        @Override
        public long nanoTime() {
            return server.nanoTime();
        }

        @Override
        public Planned after(Duration delay, Runnable task) {
            return () -> {
            };
        }
    }

    private Engine engine(String instance, ShareStore store) {
        return new Engine(instance, store, new Asking(instance, answering), new NoTime(), new HolderIdentity("app", "host:1"),
                loss -> {
                }, new WaiterLimits(Integer.MAX_VALUE), Duration.ofSeconds(1));
    }

    private static Semaphore semaphore(Engine engine, SemaphoreSpec spec) {
        return new Semaphore(engine, spec, true);
    }

    private Overview overview(Engine engine) {
        return new Overview(Map.of("tenants", declared(TENANTS, true), "reports", declared(REPORTS, false)),
                name -> Optional.empty(), List::of,
                OverviewTest::changeable, () -> engine, () -> now);
    }

    private Overview ofCode(Engine engine, List<String> listed) {
        return new Overview(Map.of(), name -> Optional.of(declared(ELSEWHERE, false)), () -> listed, OverviewTest::changeable,
                () -> engine, () -> now);
    }

    private static RedisSemaphore changeable(String name) {
        return changeable(name, Optional.empty());
    }

    private static RedisSemaphore changeable(String name, Optional<String> key) {
        return (RedisSemaphore) Proxy.newProxyInstance(RedisSemaphore.class.getClassLoader(),
                new Class<?>[] { RedisSemaphore.class }, (self, method, arguments) -> switch (method.getName()) {
                    case "forKey" -> changeable(name, Optional.of((String) arguments[0]));
                    case "key" -> key;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static EffectiveBulkhead declared(SemaphoreSpec spec, boolean keyed) {
        return new EffectiveBulkhead(spec, true, keyed, new TreeMap<>(Map.of("A#a", spec.weight())));
    }

    @AfterEach
    void end() {
        admissions.forEach(Admission::end);
    }

    private void hold(Semaphore semaphore) throws Exception {
        Admission admission = semaphore.admit("A#a");
        admissions.add(admission);
        inUse.add(semaphore.id());
        admission.granted().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private Snapshot snapshot(Overview overview) throws Exception {
        now += Duration.ofSeconds(1).toNanos();
        return overview.snapshot().subscribeAsCompletionStage().get(10, TimeUnit.SECONDS);
    }

    @Test
    void lockHasOnePermit() throws Exception {
        BulkheadId lock = BulkheadId.of("lock:orders");
        inUse.add(lock);
        for (int declared : new int[] { 2, 1 }) {
            server.connect("i" + declared).sync(new Statement(lock, 1, 0, 0, 0, 0, 30_000, declared, false, false,
                    List.of(new Need(0, 1, 1, 1)), List.of(), 0, 0, "", -1, List.of(), List.of()));
        }

        assertThat(snapshot(overview).bulkheads().get(0).limits().get(0).limit()).hasValue(1);
    }

    @Test
    void differentLimitsAreReportedUnlessResized() throws Exception {
        Engine other = engine("two", new Store("two"));
        hold(semaphore(engine, REPORTS));
        hold(semaphore(other, REPORTS.toBuilder().permits(4).build()));
        hold(semaphore(engine, ELSEWHERE));
        hold(semaphore(other, ELSEWHERE.toBuilder().permits(8).build()));

        Snapshot before = snapshot(overview);
        semaphore(engine, REPORTS).resize(6).toCompletableFuture().get(10, TimeUnit.SECONDS);
        LimitState after = snapshot(overview).bulkheads().get(1).limits().get(0);
        semaphore(engine, REPORTS).resetSize().toCompletableFuture().get(10, TimeUnit.SECONDS);

        assertThat(before.bulkheads().get(0).limits().get(0).limit()).as("ambiguous").isEmpty();
        assertThat(before.bulkheads().get(1).limits().get(0).limitsDiffer()).isTrue();
        assertThat(before.bulkheads().get(1).limits().get(0).now().declaredLimits()).containsExactly(3, 4);
        assertThat(after.limit()).hasValue(6);
        assertThat(after.now().resizedTo()).hasValue(6);
        assertThat(after.limitsDiffer()).isFalse();
    }

    /** Requests for permits must not queue behind the snapshot. */
    @Test
    void readsInFlightAreBounded() throws Exception {
        List<CompletableFuture<Void>> inFlight = new ArrayList<>();
        Engine slow = engine("two", new Store("two") {

            @Override
            public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
                CompletableFuture<Void> turn = new CompletableFuture<>();
                inFlight.add(turn);
                return turn.thenCompose(come -> super.look(bulkhead, most));
            }
        });
        for (int key = 0; key < 40; key++) {
            hold(semaphore(engine, TENANTS).forKey("k" + key, OptionalInt.empty()));
        }

        CompletableFuture<Snapshot> snapshot = overview(slow).snapshot().subscribeAsCompletionStage();

        while (!inFlight.isEmpty()) {
            assertThat(inFlight).hasSizeLessThanOrEqualTo(8);
            List<CompletableFuture<Void>> turns = List.copyOf(inFlight);
            inFlight.clear();
            turns.forEach(turn -> turn.complete(null));
        }
        assertThat(snapshot.get(10, TimeUnit.SECONDS).bulkheads().get(1).limits()).hasSize(40);
    }

    @Test
    void unreadableBulkheadDoesNotHideOthers() throws Exception {
        Engine partly = engine("two", new Store("two") {

            @Override
            public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
                return bulkhead.name().equals("reports")
                        ? CompletableFuture.failedStage(new StoreException("WRONGTYPE", null))
                        : super.look(bulkhead, most);
            }
        });
        hold(semaphore(engine, ELSEWHERE));

        Snapshot snapshot = snapshot(overview(partly));

        assertThat(snapshot.bulkheads()).extracting(BulkheadState::name).containsExactly("elsewhere", "reports", "tenants");
        assertThat(snapshot.bulkheads().get(1).limits()).isEmpty();
        assertThat(snapshot.incomplete()).contains("what Redis keeps for 'reports' could not be read");
    }

    @Test
    void outageFailsTheSnapshot() {
        StoreException away = new StoreException("Redis cannot be reached", null);
        Engine dead = engine("two", new Store("two") {

            @Override
            public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
                return CompletableFuture.failedStage(away);
            }
        });

        assertThatThrownBy(() -> snapshot(overview(dead))).as("without a bulkhead").hasRootCause(away);
        assertThatThrownBy(() -> overview(dead).ask().toCompletableFuture().get(10, TimeUnit.SECONDS)).hasRootCause(away);
        assertThatThrownBy(() -> semaphore(dead, REPORTS).status().toCompletableFuture().get(10, TimeUnit.SECONDS)).cause()
                .isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("reports");
    }

    // ---- Sharing

    private CompletableFuture<Snapshot> seen() {
        return overview.snapshot().subscribeAsCompletionStage();
    }

    @Test
    void readingIsSharedForASecond() {
        CompletableFuture<Snapshot> first = seen();
        now += Duration.ofMillis(900).toNanos();
        assertThat(seen().join()).isSameAs(first.join());
        assertThat(scans).isEqualTo(1);

        now += Duration.ofMillis(100).toNanos();
        assertThat(seen().join()).isNotSameAs(first.join());
        assertThat(scans).isEqualTo(2);
    }

    /** Even a slow one; otherwise frequent calls would pile up readings. */
    @Test
    void readingInFlightIsSharedAndNotCancelled() {
        List<CompletableFuture<BulkheadsInUse>> readings = new ArrayList<>();
        Overview slow = overview(engine("two", new Store("two") {

            @Override
            public CompletionStage<BulkheadsInUse> inUse(int most) {
                readings.add(new CompletableFuture<>());
                return readings.get(readings.size() - 1);
            }
        }));
        slow.snapshot().subscribeAsCompletionStage().cancel(true);
        now += Duration.ofMinutes(1).toNanos();
        CompletableFuture<Snapshot> second = slow.snapshot().subscribeAsCompletionStage();
        assertThat(readings).hasSize(1);

        readings.get(0).complete(new BulkheadsInUse(List.of(), Map.of(), Optional.empty()));
        assertThat(second).isCompleted();
    }

    // ---- What can be changed

    private Uni<Optional<String>> change(String name, Optional<String> key) {
        return overview.change(name, key, limit -> Uni.createFrom().item(limit.key()));
    }

    private void assertChanges(String name, Optional<String> key) {
        assertThat(change(name, key).await().indefinitely()).isEqualTo(key);
    }

    private void assertProblem(String name, Optional<String> key, int status, String message) {
        assertThatThrownBy(() -> change(name, key).await().indefinitely()).isInstanceOf(Problem.class)
                .hasMessageContaining(message).extracting(problem -> ((Problem) problem).status()).isEqualTo(status);
    }

    @Test
    void declaredBulkheadsCanBeChangedWithoutReading() {
        assertChanges("reports", NONE);
        assertChanges("tenants", Optional.of("a"));
        assertChanges("tenants", Optional.of(""));

        assertProblem("tenants", NONE, 400, "has one limit for each key");
        assertProblem("reports", Optional.of(""), 400, "has one limit for all calls");
        assertProblem("lock:orders", NONE, 409, "belongs to a lock");
        assertThat(scans).isZero();
    }

    @Test
    void bulkheadsInUseElsewhereCanBeChanged() throws Exception {
        hold(semaphore(engine, ELSEWHERE));
        assertChanges("elsewhere", NONE);
        assertProblem("elsewhere", Optional.of("a"), 400, "has one limit for all calls");

        now += Duration.ofSeconds(1).toNanos();
        hold(semaphore(engine, ELSEWHERE).forKey("a", OptionalInt.empty()));
        assertChanges("elsewhere", NONE);
        assertChanges("elsewhere", Optional.of("b"));

        assertProblem("elsewher", NONE, 404, "There is no bulkhead 'elsewher': this application does not declare it, and no"
                + " application uses it. Did you mean 'elsewhere'?");
    }

    /** Code may use it with keys and without. */
    @Test
    void bulkheadsDefinedInCodeCanBeChangedWithAndWithoutAKey() {
        Overview own = ofCode(engine, List.of("elsewhere"));

        for (Optional<String> key : List.of(NONE, Optional.of("a"))) {
            assertThat(own.change("elsewhere", key, limit -> Uni.createFrom().item(limit.key())).await().indefinitely())
                    .isEqualTo(key);
        }
    }

    @Test
    void weightOfEachMethodIsShown() {
        assertThat(weight(Map.of("A#a", 1, "A#b", 3))).isEqualTo(Map.of("A#a", 1, "A#b", 3));
        assertThat(weight(Map.of("A#a", 2, "A#b", 2))).isEqualTo(2);
        assertThat(weight(Map.of("A#a", EffectiveBulkhead.OF_THE_CALL))).isEqualTo("of the call");
        assertThat(weight(Map.of("A#a", EffectiveBulkhead.OF_THE_CALL, "A#b", 1)))
                .isEqualTo(Map.of("A#a", "of the call", "A#b", 1));
    }

    private static Object weight(Map<String, Integer> weights) {
        return Snapshot.values(new EffectiveBulkhead(REPORTS, true, false, new TreeMap<>(weights))).get("weight");
    }
}
