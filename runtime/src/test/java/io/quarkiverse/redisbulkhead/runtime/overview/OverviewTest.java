package io.quarkiverse.redisbulkhead.runtime.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.ForwardingStore;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

class OverviewTest {

    static final SemaphoreSpec REPORTS = SemaphoreSpec.named("reports").permits(3).build();
    static final SemaphoreSpec TENANTS = SemaphoreSpec.named("tenants").permits(2).build();
    static final SemaphoreSpec ELSEWHERE = SemaphoreSpec.named("elsewhere").permits(9).build();

    final LocalPermitStore store = new LocalPermitStore(System::nanoTime, System.currentTimeMillis());
    final SemaphoreEngine engine = engine(store);
    final Overview overview = overview(engine);
    final List<Admission> admissions = new ArrayList<>();

    private static SemaphoreEngine engine(PermitStore store) {
        return new SemaphoreEngine(store, new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
        }, true, new WaiterLimits(Integer.MAX_VALUE));
    }

    private static Overview overview(SemaphoreEngine engine) {
        return new Overview(List.of(declared(TENANTS, true), declared(REPORTS, false)), name -> Optional.empty(), List::of,
                () -> engine);
    }

    private static DeclaredBulkhead declared(SemaphoreSpec spec, boolean keyed) {
        return new DeclaredBulkhead(spec, true, keyed, List.of(), List.of("A#a"), List.of("A#a"));
    }

    @AfterEach
    void end() {
        admissions.forEach(Admission::end);
    }

    private void hold(Semaphore semaphore) throws Exception {
        Admission admission = semaphore.admit("A#a");
        admissions.add(admission);
        admission.granted().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static Snapshot snapshot(Overview overview) throws Exception {
        return overview.snapshot(10).toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void declaredIdleBulkheadsAreShown() throws Exception {
        assertThat(overview.declared()).extracting(DeclaredBulkhead::name).containsExactly("reports", "tenants");
        assertThat(snapshot(overview).bulkheads()).satisfiesExactly(
                reports -> {
                    assertThat(reports.name()).isEqualTo("reports");
                    assertThat(reports.declared()).isTrue();
                    assertThat(reports.keyed()).isFalse();
                    assertThat(reports.limits()).singleElement().satisfies(limit -> {
                        assertThat(limit.limit()).hasValue(3);
                        assertThat(limit.inUse()).isZero();
                    });
                },
                tenants -> {
                    assertThat(tenants.keyed()).isTrue();
                    assertThat(tenants.limits()).isEmpty();
                });
    }

    @Test
    void keysAndBulkheadsOfOtherApplicationsAreShown() throws Exception {
        hold(engine.semaphore(REPORTS));
        hold(engine.semaphore(TENANTS).forKey("b", OptionalInt.of(7)));
        hold(engine.semaphore(TENANTS).forKey("a", OptionalInt.empty()));
        hold(engine.semaphore(ELSEWHERE));

        Snapshot snapshot = snapshot(overview(engine(store)));

        assertThat(snapshot.bulkheads()).extracting(BulkheadState::name).containsExactly("elsewhere", "reports", "tenants");
        BulkheadState elsewhere = snapshot.bulkheads().get(0);
        assertThat(elsewhere.declared()).isFalse();
        assertThat(elsewhere.limits().get(0).limit()).as("the declared limit").hasValue(9);
        assertThat(snapshot.bulkheads().get(1).limits().get(0).holders()).extracting(Holder::method).containsExactly("A#a");
        assertThat(snapshot.bulkheads().get(2).limits()).extracting(LimitState::key, LimitState::limit).containsExactly(
                tuple(Optional.of("a"), OptionalInt.of(2)),
                tuple(Optional.of("b"), OptionalInt.of(7)));
    }

    @Test
    void lockHasOnePermit() throws Exception {
        for (int declared : new int[] { 2, 1 }) {
            store.acquire(
                    new AcquireRequest(BulkheadId.of("lock:orders"), "p" + declared, declared, Duration.ofMinutes(1), false,
                            Duration.ZERO, "app", "host:1", "A#a"));
        }

        assertThat(snapshot(overview).bulkheads().get(0).limits().get(0).limit()).hasValue(1);
    }

    @Test
    void differentLimitsAreReportedUnlessResized() throws Exception {
        hold(engine.semaphore(REPORTS));
        hold(engine.semaphore(REPORTS.toBuilder().permits(4).build()));
        hold(engine.semaphore(ELSEWHERE));
        hold(engine.semaphore(ELSEWHERE.toBuilder().permits(8).build()));

        Snapshot before = snapshot(overview);
        engine.semaphore(REPORTS).resize(6).toCompletableFuture().get(10, TimeUnit.SECONDS);
        LimitState after = snapshot(overview).bulkheads().get(1).limits().get(0);
        engine.semaphore(REPORTS).resetSize().toCompletableFuture().get(10, TimeUnit.SECONDS);

        assertThat(before.bulkheads().get(0).limits().get(0).limit()).as("ambiguous").isEmpty();
        assertThat(before.bulkheads().get(1).limits().get(0).limitsDiffer()).isTrue();
        assertThat(before.bulkheads().get(1).limits().get(0).declaredLimits()).containsExactly(3, 4);
        assertThat(after.limit()).hasValue(6);
        assertThat(after.resized()).isTrue();
        assertThat(after.limitsDiffer()).isFalse();
    }

    @Test
    void definitionInCodeDeterminesTheLimit() throws Exception {
        hold(engine.semaphore(ELSEWHERE));
        hold(engine.semaphore(ELSEWHERE.toBuilder().permits(8).build()));
        Overview own = new Overview(List.of(), name -> Optional.of(declared(ELSEWHERE, false)), List::of, () -> engine);

        BulkheadState elsewhere = snapshot(own).bulkheads().get(0);

        assertThat(elsewhere.declared()).isFalse();
        assertThat(elsewhere.limits().get(0).limit()).hasValue(9);
    }

    @Test
    void idleBulkheadDefinedInCodeIsShown() throws Exception {
        Overview own = new Overview(List.of(), name -> Optional.of(declared(ELSEWHERE, false)), () -> List.of("elsewhere"),
                () -> engine);

        assertThat(snapshot(own).bulkheads()).singleElement().satisfies(idle -> {
            assertThat(idle.declared()).isFalse();
            assertThat(idle.limits()).extracting(LimitState::key, LimitState::limit, LimitState::inUse)
                    .containsExactly(tuple(Optional.empty(), OptionalInt.of(9), 0));
        });

        hold(engine.semaphore(ELSEWHERE).forKey("a", OptionalInt.empty()));
        assertThat(snapshot(own).bulkheads()).singleElement().satisfies(inUse -> assertThat(inUse.limits())
                .as("only the key").extracting(LimitState::key).containsExactly(Optional.of("a")));
    }

    @Test
    void incompleteScanIsReportedWithBulkheadsInUseHere() throws Exception {
        SemaphoreEngine blind = engine(new ForwardingStore(store) {

            @Override
            public CompletionStage<BulkheadsInUse> inUse(int most) {
                return CompletableFuture.completedStage(
                        new BulkheadsInUse(List.of(), Map.of("tenants", 2), Optional.of("no rights")));
            }
        });
        hold(blind.semaphore(TENANTS).forKey("mine", OptionalInt.empty()));

        Snapshot snapshot = snapshot(overview(blind));

        assertThat(snapshot.incomplete()).contains("no rights");
        BulkheadState tenants = snapshot.bulkheads().get(1);
        assertThat(tenants.keysWithoutText()).isEqualTo(2);
        assertThat(tenants.limits()).extracting(LimitState::key).containsExactly(Optional.of("mine"));
    }

    /** Requests for permits must not queue behind the snapshot. */
    @Test
    void readsInFlightAreBounded() throws Exception {
        List<CompletableFuture<Void>> inFlight = new ArrayList<>();
        SemaphoreEngine slow = engine(new ForwardingStore(store) {

            @Override
            public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
                CompletableFuture<Void> turn = new CompletableFuture<>();
                inFlight.add(turn);
                return turn.thenCompose(come -> super.occupancy(bulkhead, most));
            }
        });
        for (int key = 0; key < 40; key++) {
            hold(engine.semaphore(TENANTS).forKey("k" + key, OptionalInt.empty()));
        }

        CompletableFuture<Snapshot> snapshot = overview(slow).snapshot(10).toCompletableFuture();

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
        SemaphoreEngine partly = engine(new ForwardingStore(store) {

            @Override
            public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
                return bulkhead.name().equals("reports")
                        ? CompletableFuture.failedStage(new StoreException("WRONGTYPE", false, null))
                        : super.occupancy(bulkhead, most);
            }
        });
        hold(engine.semaphore(ELSEWHERE));

        Snapshot snapshot = snapshot(overview(partly));

        assertThat(snapshot.bulkheads()).extracting(BulkheadState::name).containsExactly("elsewhere", "reports", "tenants");
        assertThat(snapshot.bulkheads().get(1).limits()).isEmpty();
        assertThat(snapshot.incomplete()).contains("what Redis keeps for 'reports' could not be read");
    }

    @Test
    void outageFailsTheSnapshot() {
        StoreException away = new StoreException("Redis cannot be reached", false, null);
        SemaphoreEngine dead = engine(new ForwardingStore(store) {

            @Override
            public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
                return CompletableFuture.failedStage(away);
            }
        });

        assertThatThrownBy(() -> snapshot(overview(dead))).as("without a bulkhead").hasRootCause(away);
        assertThatThrownBy(() -> overview(dead).ask().toCompletableFuture().get(10, TimeUnit.SECONDS)).hasRootCause(away);
        assertThatThrownBy(() -> dead.semaphore(REPORTS).status().toCompletableFuture().get(10, TimeUnit.SECONDS)).cause()
                .isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("reports");
    }
}
