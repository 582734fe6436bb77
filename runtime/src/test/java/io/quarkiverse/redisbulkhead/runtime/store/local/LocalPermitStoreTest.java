package io.quarkiverse.redisbulkhead.runtime.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore.Taken;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStoreContract;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;

/** The contract, and the specifics of the local store. */
class LocalPermitStoreTest extends PermitStoreContract {

    private static final int MANY = 100_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final LocalStoreFixture fixture = new LocalStoreFixture();
    private final LocalPermitStore store = fixture.store;

    @Override
    protected StoreFixture open() {
        return fixture;
    }

    /** Uses a monotonic clock. */
    @Override
    protected boolean clockCanBeSetBack() {
        return false;
    }

    /** Trap 21: keys used once use no memory. */
    @Test
    void bulkheadsUsedOnceUseNoMemory() {
        for (int i = 0; i < MANY; i++) {
            String name = "tenant-" + i;
            now(store.acquire(request(name, "a", i % 2 == 0, SECOND)));
            now(store.acquire(request(name, "b", i % 2 == 0, SECOND)));
            now(store.release(BulkheadId.of(name), "b"));
            now(store.release(BulkheadId.of(name), "a"));
            now(store.occupancy(BulkheadId.of(name), 10));
        }

        assertThat(store.size()).isZero();
    }

    /** Trap 21: nor after the last lease, place or cancellation has expired. */
    @Test
    void abandonedBulkheadsUseNoMemoryAfterExpiry() {
        for (int i = 0; i < MANY; i++) {
            String name = "tenant-" + i;
            now(store.acquire(request(name, "a", i % 2 == 0, SECOND)));
            now(store.acquire(request(name, "b", i % 2 == 0, SECOND)));
            now(store.cancel(BulkheadId.of(name), List.of("c"), SECOND));
        }
        assertThat(store.size()).isEqualTo(MANY);
        fixture.advance(SECOND);

        for (int i = 0; i < MANY; i++) {
            now(store.acquire(request("other", "p" + i, true, SECOND)));
            now(store.release(BulkheadId.of("other"), "p" + i));
        }

        assertThat(store.size()).isZero();
    }

    @Test
    void readingABulkheadUsesNoMemory() {
        now(store.occupancy(BulkheadId.of("a"), 1));
        now(store.renew(BulkheadId.of("b"), Map.of("p", SECOND)));
        now(store.poll(BulkheadId.of("c"), 1, List.of("p"), SECOND));
        now(store.release(BulkheadId.of("d"), "p"));
        now(store.revoke(BulkheadId.of("e"), "p"));
        now(store.resetSize(BulkheadId.of("f")));

        assertThat(store.size()).isZero();
    }

    @Test
    void resizedBulkheadIsKeptUntilReset() {
        now(store.resize(BulkheadId.of("a"), 2));
        fixture.advance(Duration.ofDays(400));
        now(store.release(BulkheadId.of("b"), "p"));
        assertThat(store.size()).isEqualTo(1);

        now(store.resetSize(BulkheadId.of("a")));
        assertThat(store.size()).isZero();
    }

    /** The system clock is read at most once; afterwards elapsed time counts. */
    @Test
    void timeIsTheStartPlusTheElapsedTime() {
        AtomicLong nanoTime = new AtomicLong(-5);
        LocalPermitStore other = new LocalPermitStore(nanoTime::get, 1_000);
        assertThat(now(other.poll(BulkheadId.of("a"), 1, List.of("p"), SECOND)).storeMillis()).isEqualTo(1_000);
        assertThat(((Granted) now(other.acquire(request("a", "p", false, SECOND)))).ticket()).isEqualTo(1_000_000);

        nanoTime.addAndGet(1_999_999);
        assertThat(now(other.poll(BulkheadId.of("a"), 1, List.of("p"), SECOND)).storeMillis()).as("rounded up")
                .isEqualTo(1_002);
        now(other.release(BulkheadId.of("a"), "p"));
        assertThat(((Granted) now(other.acquire(request("a", "q", false, SECOND)))).ticket()).isEqualTo(1_001_999);
        assertThat(now(other.occupancy(BulkheadId.of("a"), 1)).holders().get(0).since()).isEqualTo(Instant.ofEpochMilli(1_001));
    }

    /** Tickets increase even if the bulkhead was forgotten and no time has passed. */
    @Test
    void ticketsIncreaseForAForgottenBulkhead() {
        long first = ((Granted) now(store.acquire(request("a", "p", false, SECOND)))).ticket();
        now(store.release(BulkheadId.of("a"), "p"));
        assertThat(store.size()).isZero();

        assertThat(((Granted) now(store.acquire(request("a", "q", false, SECOND)))).ticket()).isGreaterThan(first);
    }

    /** Trap 26: consecutive releases wake different waiters. */
    @Test
    void notifiedWaiterIsNotNotifiedAgainBeforeItsRequest() {
        for (String id : List.of("a", "b", "c", "w1", "w2")) {
            now(store.acquire(withLimit(3, id)));
        }

        now(store.release(BulkheadId.of("x"), "a"));
        now(store.release(BulkheadId.of("x"), "b"));
        now(store.release(BulkheadId.of("x"), "c"));

        assertThat(fixture.notices(store)).containsExactly(new Notice.PermitFree("w1"), new Notice.PermitFree("w2"));
    }

    @Test
    void oneStepNotifiesAWaiterOnce() {
        now(store.acquire(withLimit(2, "a")));
        now(store.resize(BulkheadId.of("x"), 1));
        now(store.acquire(withLimit(2, "w")));

        now(store.resize(BulkheadId.of("x"), 5));
        assertThat(fixture.notices(store)).containsExactly(new Notice.PermitFree("w"));

        now(store.acquire(withLimit(2, "b")));
        now(store.acquire(withLimit(2, "c")));
        now(store.acquire(withLimit(2, "d")));
        now(store.acquire(withLimit(2, "e")));
        now(store.acquire(withLimit(2, "w")));
        now(store.cancel(BulkheadId.of("x"), List.of("a", "b"), SECOND));
        assertThat(fixture.notices(store)).containsExactly(new Notice.PermitFree("w"), new Notice.PermitFree("w"));
    }

    @Test
    void listenerMayCallTheStore() {
        List<AcquireReply> replies = new ArrayList<>();
        LocalPermitStore other = new LocalPermitStore(() -> 0, 0);
        other.listen(notice -> {
            if (notice instanceof Notice.PermitFree free) {
                replies.add(now(other.acquire(request("a", free.permitId(), false, SECOND))));
            }
        }, mismatch -> {
        });
        now(other.acquire(request("a", "p", false, SECOND)));
        now(other.acquire(request("a", "q", false, SECOND)));

        now(other.release(BulkheadId.of("a"), "p"));

        assertThat(replies).singleElement().isInstanceOf(Granted.class);
    }

    @Test
    void failingListenerDoesNotAffectTheStore() {
        store.listen(notice -> {
            throw new IllegalStateException("listener failed");
        }, mismatch -> {
        });
        now(store.acquire(request("a", "p", true, SECOND)));
        now(store.acquire(request("a", "q", true, SECOND)));

        assertThat(now(store.release(BulkheadId.of("a"), "p"))).isTrue();
        assertThat(now(store.occupancy(BulkheadId.of("a"), 10)).inUse()).isEqualTo(1);
    }

    @Test
    void freePermitIsTakenAtOnce() {
        Taken first = take(withLimit(2, "a"));
        Taken second = take(withLimit(2, "b"));

        assertThat(first.ticket()).isPositive();
        assertThat(second.ticket()).isGreaterThan(first.ticket());
        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).holders()).extracting(Holder::permitId)
                .containsExactly("a", "b");
        assertThat(store.releaseNow(first, Duration.ZERO)).isTrue();
        assertThat(store.releaseNow(first, Duration.ZERO)).as("again").isFalse();
        assertThat(store.releaseNow(BulkheadId.of("x"), "a", Duration.ZERO)).as("by its id").isFalse();
        assertThat(store.releaseNow(BulkheadId.of("x"), "b", Duration.ZERO)).as("by its id").isTrue();
        assertThat(store.releaseNow(second, Duration.ZERO)).as("again").isFalse();
    }

    /** Most executions end before. */
    @Test
    void idIsCreatedOnceAndOnlyOnDemand() {
        AtomicInteger issued = new AtomicInteger();
        Taken taken = store.takeIfFree(withLimit(2, "a").terms(), weight -> "id-" + issued.incrementAndGet());
        assertThat(issued).hasValue(0);

        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).holders()).extracting(Holder::permitId)
                .containsExactly("id-1");
        assertThat(taken.id()).isEqualTo("id-1");
    }

    /** Trap 7: a late release removes nothing but its own permit. */
    @Test
    void expiredPermitIsNotReleased() {
        Taken late = take(withLimit(1, "a"));
        fixture.advance(SECOND.multipliedBy(2));
        take(withLimit(1, "b"));

        assertThat(store.releaseNow(late, Duration.ZERO)).isFalse();
        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).holders()).extracting(Holder::permitId).containsExactly("b");
    }

    @Test
    void takenPermitStaysForItsMinimumHold() {
        assertThat(store.releaseNow(take(withLimit(1, "a")), SECOND.dividedBy(2))).isTrue();

        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).inUse()).isEqualTo(1);
        fixture.advance(SECOND.dividedBy(2));
        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).inUse()).isZero();
    }

    /** Guarantee 4: the release wins over a detach in flight, which has replaced the record. */
    @Test
    void takenPermitIsReleasedAfterItWasDetached() {
        Taken taken = take(withLimit(1, "a"));
        assertThat(now(store.detach(BulkheadId.of("x"), taken.id(), SECOND, "digest", Duration.ZERO))).isTrue();

        assertThat(store.releaseNow(taken, Duration.ZERO)).isTrue();
        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).inUse()).isZero();
    }

    private Taken take(AcquireRequest request) {
        return store.takeIfFree(request.terms(), weight -> request.permitId());
    }

    /** Trap 9: a failed attempt leaves no waiter. */
    @Test
    void failedAttemptChangesNothing() {
        take(withLimit(1, "a"));

        assertThat(take(withLimit(1, "b"))).isNull();

        assertThat(now(store.occupancy(BulkheadId.of("x"), 10)).waiting()).isZero();
        now(store.resize(BulkheadId.of("x"), 2));
        assertThat(take(withLimit(1, "b"))).as("resized limit").isNotNull();
    }

    /** Guarantee 5: nor does a newcomer overtake the queue. */
    @Test
    void takeIfFreeDoesNotOvertakeTheQueue() {
        now(store.acquire(request("q", "a", true, SECOND)));
        now(store.acquire(request("q", "w", true, SECOND)));
        store.releaseNow(BulkheadId.of("q"), "a", Duration.ZERO);

        assertThat(take(request("q", "b", false, SECOND))).isNull();

        assertThat(fixture.notices(store)).singleElement().isInstanceOfSatisfying(Notice.HandedOver.class,
                notice -> assertThat(notice.permitId()).isEqualTo("w"));
    }

    /** A few empty bulkheads stay in memory for the next call. */
    @Test
    void fewEmptyBulkheadsAreKept() {
        LocalPermitStore other = new LocalPermitStore(System::nanoTime, 0);
        for (int i = 0; i < MANY; i++) {
            other.takeIfFree(request("tenant-" + i, "a", false, SECOND).terms(), weight -> "a");
            other.releaseNow(BulkheadId.of("tenant-" + i), "a", Duration.ZERO);
        }

        assertThat(other.size()).isBetween(1, 100);
        assertThat(now(other.inUse(10)).bulkheads()).isEmpty();
    }

    /** Durations are rounded up, never to zero, and do not overflow. */
    @Test
    void leasesOfAnyLengthWork() {
        now(store.acquire(request("a", "p", false, Duration.ofNanos(1))));
        assertThat(now(store.occupancy(BulkheadId.of("a"), 10)).inUse()).isEqualTo(1);
        fixture.advance(Duration.ofMillis(1));
        assertThat(now(store.occupancy(BulkheadId.of("a"), 10)).inUse()).isZero();

        now(store.acquire(request("a", "q", false, Duration.ofSeconds(Long.MAX_VALUE))));
        assertThat(now(store.occupancy(BulkheadId.of("a"), 10)).inUse()).isEqualTo(1);
    }

    /** A request whose place lasts as long as its lease. */
    private static AcquireRequest request(String bulkhead, String permitId, boolean fair, Duration lease) {
        return new AcquireRequest(BulkheadId.of(bulkhead), permitId, 1, lease, fair, lease, "app", "host:1", "Type#method");
    }

    private static AcquireRequest withLimit(int limit, String permitId) {
        return new AcquireRequest(BulkheadId.of("x"), permitId, limit, SECOND, false, SECOND, "app", "host:1", "Type#method");
    }

    private static <T> T now(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }
}
