package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.local.LocalStoreFixture;

/** The comparison with the model finds defects that were put in on purpose, and tells them shortly. */
class ModelCheckTest {

    @Test
    void theShrinkerFindsTheStepsThatMatter() {
        List<Integer> history = IntStream.range(0, 200).boxed().toList();

        List<Integer> shrunk = Shrinker.shrink(history, steps -> steps.containsAll(List.of(3, 77, 78, 199)));

        assertThat(shrunk).containsExactly(3, 77, 78, 199);
    }

    @Test
    void theShrinkerMayEndWithASingleStep() {
        assertThat(Shrinker.shrink(List.of(1, 2, 3), steps -> steps.contains(1))).containsExactly(1);
    }

    @Test
    void aStoreThatForgetsCancellationsIsFound() {
        String report = reportOn(store -> new ForwardingStore(store) {

            @Override
            public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
                return super.cancel(bulkhead, permitIds, Duration.ZERO);
            }
        });

        assertThat(steps(report)).hasSize(2);
        assertThat(steps(report).get(0)).contains("cancels");
        assertThat(steps(report).get(1)).contains("asks for");
        assertThat(report).contains("The answer should be: Cancelled[]; but was: Granted");
    }

    @Test
    void aStoreThatGrantsOneTooManyIsFound() {
        String report = reportOn(store -> new ForwardingStore(store) {

            @Override
            public CompletionStage<AcquireReply> acquire(AcquireRequest it) {
                return super.acquire(new AcquireRequest(it.bulkhead(), it.permitId(), it.limit() == 2 ? 3 : it.limit(),
                        it.lease(), it.fair(), it.place(), it.application(), it.instance(), it.method()));
            }
        });

        assertThat(steps(report)).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void aStoreThatLosesReleasesOfWaitersIsFound() {
        String report = reportOn(store -> new ForwardingStore(store) {

            @Override
            public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
                Occupancy occupancy = BulkheadUnderTest.get(occupancy(bulkhead, 1_000));
                return occupancy.waiters().stream().anyMatch(waiter -> waiter.permitId().equals(permitId))
                        ? CompletableFuture.completedFuture(false)
                        : super.release(bulkhead, permitId);
            }
        });

        assertThat(steps(report)).hasSizeLessThanOrEqualTo(5);
        assertThat(steps(report)).last().asString().contains("releases");
    }

    @Test
    void aStoreWithoutDefectIsNotAccused() {
        ModelCheck.check(new Defective(UnaryOperator.identity()), 1, 20, 60);
    }

    private static String reportOn(UnaryOperator<PermitStore> defect) {
        AssertionError error = catchThrowableOfType(AssertionError.class,
                () -> ModelCheck.check(new Defective(defect), 1, 200, 60));
        assertThat(error).as("found").isNotNull();
        assertThat(error.getMessage()).containsPattern("-Dmodel\\.seed=\\d+");
        return error.getMessage();
    }

    private static List<String> steps(String report) {
        return report.lines().filter(line -> line.matches("  \\d+\\. .*")).toList();
    }

    /** A good store with a defect in front of it. */
    private static final class Defective implements StoreFixture {

        private final LocalStoreFixture good = new LocalStoreFixture();
        private final PermitStore store;

        Defective(UnaryOperator<PermitStore> defect) {
            store = defect.apply(good.first());
        }

        @Override
        public PermitStore first() {
            return store;
        }

        @Override
        public PermitStore second() {
            return store;
        }

        @Override
        public boolean mayLoseData() {
            return good.mayLoseData();
        }

        @Override
        public void advance(Duration duration) {
            good.advance(duration);
        }

        @Override
        public List<Notice> notices(PermitStore anyStore) {
            return good.notices(anyStore);
        }

        @Override
        public void settleNotices() {
            good.settleNotices();
        }

        @Override
        public void forgetNotices() {
            good.forgetNotices();
        }

        @Override
        public void close() {
            good.close();
        }
    }
}
