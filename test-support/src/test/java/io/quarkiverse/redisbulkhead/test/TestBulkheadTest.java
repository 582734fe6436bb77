package io.quarkiverse.redisbulkhead.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;

/**
 * With a bulkhead in memory: states that are hard to reproduce in an application. The sample's tests use a real bulkhead.
 */
@Timeout(30)
class TestBulkheadTest {

    /** For events that never happen. */
    private static final Duration SHORT = Duration.ofMillis(100);

    private final FakeSemaphore semaphore = new FakeSemaphore(3);

    @Test
    void countsPermitsOfOthersByWeight() {
        semaphore.held("Reports#all", 2);
        try (TestBulkhead reports = bulkhead(); TestBulkhead hasty = bulkhead(SHORT)) {
            assertThat(reports.inUse()).isEqualTo(2);
            assertThat(reports.fill()).isEqualTo(1);
            assertThatAssertionFails(() -> hasty.awaitInUse(9)).hasMessageContaining("3 of 3 permits are in use")
                    .hasMessageContaining("permit p1, weight 2");
        }
    }

    @Test
    void fillsSomeOrNone() {
        try (TestBulkhead reports = bulkhead()) {
            reports.fill(2);
            assertThatAssertionFails(() -> reports.fill(2)).hasMessageStartingWith(
                    "Expected 2 free permits of bulkhead 'reports', but there were 1.\nHolders:\n  TestBulkhead#fill of 'shop'");
            assertThat(reports.held()).isEqualTo(2);
            assertThat(reports.inUse()).isEqualTo(2);
        }
    }

    @Test
    void releasesItsOldestPermit() {
        semaphore.held("Reports#render");
        try (TestBulkhead reports = bulkhead()) {
            reports.fill();
            reports.free(1);
            assertThat(semaphore.holderIds()).containsExactly("p1", "p3");
            assertThat(reports.free()).isEqualTo(1);
            assertThat(semaphore.holderIds()).containsExactly("p1");
            assertThat(reports.free()).isZero();
        }
    }

    @Test
    void itsPermitsHaveNoMinimumHold() {
        semaphore.minHold(Duration.ofSeconds(20)).held("Reports#render");
        try (TestBulkhead reports = bulkhead()) {
            reports.fill();
            reports.free(1);
            assertThat(semaphore.holderIds()).containsExactly("p1", "p3");
        }
        assertThat(semaphore.holderIds()).containsExactly("p1");

        try (TestBulkhead reports = bulkhead()) {
            reports.fill();
            BulkheadUnavailableException away = new BulkheadUnavailableException("reports", "Redis is away", null);
            semaphore.failWith(() -> away);
            assertThatThrownBy(reports::free).isSameAs(away);
            assertThat(semaphore.holderIds()).as("all are released").containsExactly("p1", "p4.released", "p5.released");
        } finally {
            semaphore.failWith(() -> null);
        }
    }

    @Test
    void doesNotReleaseLostPermits() {
        try (TestBulkhead reports = bulkhead()) {
            reports.fill();
            semaphore.remove("p1");
            assertThat(reports.held()).isEqualTo(2);

            reports.free(1);
            assertThat(semaphore.holderIds()).as("p1 was lost, so p2 was released").containsExactly("p3");
            assertThatAssertionFails(() -> reports.free(2)).hasMessage("Expected to give back 2 permits of bulkhead 'reports', "
                    + "but this TestBulkhead had only 1.\nHolders: none\nWaiters: none");
        }
    }

    @Test
    void timeoutListsHoldersAndWaiters() {
        semaphore.held("Reports#render");
        semaphore.waits("Reports#print");
        try (TestBulkhead reports = bulkhead(SHORT)) {
            assertThatAssertionFails(() -> reports.awaitInUse(3)).hasMessage("""
                    Expected 3 permits of bulkhead 'reports' in use within 100 ms, but 1 of 3 permits are in use, and 1 wait.
                    Holders:
                      Reports#render of 'shop' on host:1, since 1970-01-01T00:00:00Z, permit p1
                    Waiters:
                      Reports#print of 'shop' on host:1, since 1970-01-01T00:00:00Z, permit w2""");
        }
    }

    @Test
    void waitsForTheExactNumber() {
        semaphore.held("Reports#render");
        semaphore.waits("Reports#render");
        semaphore.waits("Reports#render");
        try (TestBulkhead reports = bulkhead(SHORT)) {
            assertThatAssertionFails(() -> reports.awaitWaiters(1)).hasMessageStartingWith("Expected 1 to wait");
            assertThatAssertionFails(() -> reports.awaitWaiters(3)).hasMessageStartingWith("Expected 3 to wait");
            assertThatAssertionFails(() -> reports.awaitInUse(0)).hasMessageStartingWith("Expected 0 permits");
            assertThatAssertionFails(reports::awaitEmpty).hasMessageStartingWith("Expected bulkhead 'reports' to be empty");
        }
    }

    /** Between two holders, there may be a moment when no caller holds the permit. */
    @Test
    void isNotEmptyWhileACallWaits() {
        semaphore.waits("Reports#render");
        try (TestBulkhead reports = bulkhead(SHORT)) {
            assertThatAssertionFails(reports::awaitEmpty).hasMessageContaining("but 0 of 3 permits are in use, and 1 wait");
            assertThatAssertionFails(reports::empty).hasMessageContaining("but 0 of 3 permits are in use, and 1 wait");
        }
    }

    @Test
    void marksItsOwnPermitsAndShortensTheList() {
        FakeSemaphore large = new FakeSemaphore(50);
        try (TestBulkhead reports = TestBulkhead.of(large.key("acme").asSemaphore(), SHORT)) {
            reports.fill(1);
            for (int i = 0; i < 22; i++) {
                large.held("Reports#render");
            }
            assertThatAssertionFails(reports::awaitEmpty).hasMessageContaining("bulkhead 'reports' for key 'acme'")
                    .hasMessageContaining("permit p1, held by this TestBulkhead\n")
                    .hasMessageContaining("permit p20\n  and 3 more")
                    .hasMessageNotContaining("p21");
        }
    }

    @Test
    void keepsPollingDuringAnOutage() {
        try (TestBulkhead reports = bulkhead()) {
            int[] failures = { 3 };
            semaphore.failWith(() -> failures[0]-- > 0 ? unavailable() : null);
            reports.awaitEmpty();
            assertThat(failures[0]).isLessThan(0);
        }
    }

    @Test
    void reportsAnOutage() {
        try (TestBulkhead reports = bulkhead(SHORT)) {
            semaphore.failWith(TestBulkheadTest::unavailable);
            assertThatAssertionFails(reports::awaitEmpty).hasCauseInstanceOf(BulkheadUnavailableException.class).hasMessage("""
                    Expected bulkhead 'reports' to be empty within 100 ms, but Bulkhead 'reports' is unavailable: away.
                    Holders: not known, because Bulkhead 'reports' is unavailable: away
                    Waiters: not known, because Bulkhead 'reports' is unavailable: away""");
            assertThatThrownBy(reports::fill).isInstanceOf(BulkheadUnavailableException.class);
            assertThatThrownBy(reports::inUse).isInstanceOf(BulkheadUnavailableException.class);
        }
    }

    @Test
    void failedFillKeepsNoPermits() {
        try (TestBulkhead reports = bulkhead()) {
            semaphore.failWith(() -> semaphore.holderIds().size() == 2 ? unavailable() : null);
            assertThatThrownBy(reports::fill).isInstanceOf(BulkheadUnavailableException.class);
            assertThat(semaphore.holderIds()).isEmpty();
        }
    }

    @Test
    void cannotFillADisabledBulkhead() {
        try (TestBulkhead reports = TestBulkhead.of(semaphore.uncounted().asSemaphore())) {
            assertThatIllegalStateException().isThrownBy(reports::fill)
                    .withMessage(
                            "Cannot fill bulkhead 'reports', because its permits are not counted there: either it is switched "
                                    + "off (enabled=false), or Redis is away and on-outage is not 'reject'");
            assertThatIllegalStateException().isThrownBy(() -> reports.fill(1));
        }
    }

    @Test
    void leavesATooLargeBulkheadEmpty() {
        FakeSemaphore endless = new FakeSemaphore(Integer.MAX_VALUE);
        try (TestBulkhead reports = TestBulkhead.of(endless.asSemaphore(), SHORT)) {
            assertThatAssertionFails(reports::fill).hasMessageContaining("Give it a smaller limit in tests");
            assertThat(endless.holderIds()).isEmpty();
        }
    }

    @Test
    void acquiresNothingAfterClose() {
        TestBulkhead reports = bulkhead();
        reports.fill(1);
        reports.close();
        reports.close();

        assertThat(semaphore.holderIds()).isEmpty();
        assertThatIllegalStateException().isThrownBy(reports::fill)
                .withMessage("This TestBulkhead of bulkhead 'reports' is closed");
        assertThatIllegalStateException().isThrownBy(reports::outage)
                .withMessage("This TestBulkhead of bulkhead 'reports' is closed");
        assertThatCode(reports::awaitEmpty).doesNotThrowAnyException();
    }

    @Test
    void interruptEndsTheWait() throws Exception {
        TestBulkhead reports = bulkhead(Duration.ofHours(1));
        CompletableFuture<Thread> polling = new CompletableFuture<>();
        semaphore.beforeReply(() -> polling.complete(Thread.currentThread()));
        CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
            assertThatThrownBy(() -> reports.awaitInUse(1)).isInstanceOf(BulkheadUnavailableException.class)
                    .hasMessageContaining("interrupted");
            return Thread.interrupted();
        });

        polling.get(20, TimeUnit.SECONDS).interrupt();
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).as("the thread stays interrupted").isTrue();
    }

    @Test
    void faultsRequireAnApplicationInThisProcess() {
        String hint = "Only the store of an application in this process can be simulated. Use @QuarkusTest";
        semaphore.held("Reports#render");
        try (TestBulkhead reports = bulkhead()) {
            assertThatIllegalStateException().isThrownBy(reports::outage).withMessage(hint);
            assertThatIllegalStateException().isThrownBy(() -> reports.slow(SHORT)).withMessage(hint);
            assertThatIllegalStateException().isThrownBy(reports::loseOldest).withMessage(hint);
        }
    }

    @Test
    void onlyCallsLosePermits() {
        try (TestBulkhead reports = bulkhead()) {
            reports.fill(1);
            assertThatAssertionFails(reports::loseOldest).hasMessageStartingWith(
                    "Expected a call to hold a permit of bulkhead 'reports'.\nHolders:\n  TestBulkhead#fill of 'shop'");
        }
    }

    @Test
    void reportsWrongUse() {
        assertThatIllegalArgumentException().isThrownBy(() -> TestBulkhead.of(null));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead(null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TestBulkhead.of(new FakeSemaphore(1).needsKey().asSemaphore()))
                .withMessage(
                        "Bulkhead 'reports' has one limit for each key. Use TestBulkhead.of(semaphore.forKey(key))");
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead().slow(Duration.ZERO))
                .withMessage("delay must be more than zero, but is PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead().lose(null));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead().fill(0));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead().free(0));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead().awaitInUse(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkhead().awaitWaiters(-1));
    }

    private TestBulkhead bulkhead() {
        return TestBulkhead.of(semaphore.asSemaphore());
    }

    private TestBulkhead bulkhead(Duration timeout) {
        return TestBulkhead.of(semaphore.asSemaphore(), timeout);
    }

    private static AbstractThrowableAssert<?, ?> assertThatAssertionFails(ThrowingCallable code) {
        return assertThatThrownBy(code).isInstanceOf(AssertionError.class);
    }

    private static BulkheadUnavailableException unavailable() {
        return new BulkheadUnavailableException("reports", "away", null);
    }
}
