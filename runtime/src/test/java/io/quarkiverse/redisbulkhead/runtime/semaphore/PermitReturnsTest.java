package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

class PermitReturnsTest {

    static final Duration LEASE = Duration.ofSeconds(30);

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final PermitReturns returns = new PermitReturns(store, timers);

    /** A cancellation frees the permit at once, so the release that applies min-hold must come first. */
    @Test
    void minHoldIsAppliedBeforeTheCancellation() {
        returns.inBackground(BulkheadId.of("a"), "1", LEASE, Duration.ofSeconds(5));

        assertThat(store.log).containsExactly("release a");
        assertThat(store.minHolds).containsExactly(Duration.ofSeconds(5));
        store.openReleases.remove(0).completeExceptionally(ManualStore.lost());
        assertThat(store.cancelled).isEmpty();
        timers.advance(Duration.ofMillis(100));
        store.replyToReleases(true);

        assertThat(store.log).containsExactly("release a", "release a", "cancel a 1");
        assertThat(returns.pending()).isZero();
    }

    @Test
    void returnsAtOnceWhenTheStoreIsUp() {
        returns.inBackground(BulkheadId.of("a"), "1", LEASE, Duration.ZERO);

        assertThat(store.cancelled).containsExactly("1");
        assertThat(returns.pending()).isZero();
        assertThat(timers.planned()).isZero();
    }

    @Test
    void retriesWithBackOffUntilTheStoreReplies() {
        store.down = true;
        returns.inBackground(BulkheadId.of("a"), "1", LEASE, Duration.ZERO);
        timers.advance(Duration.ofSeconds(10));
        int attempts = store.log.size();

        assertThat(attempts).isBetween(8, 16);
        store.down = false;
        timers.advance(Duration.ofSeconds(5));
        assertThat(store.cancelled).containsExactly("1");
        assertThat(timers.planned()).isZero();
    }

    /** Earlier releases must also reach the store before later acquires of this process. */
    @Test
    void retriesAtOnceAfterAReconnect() {
        store.down = true;
        returns.inBackground(BulkheadId.of("a"), "1", LEASE, Duration.ZERO);
        returns.inBackground(BulkheadId.of("b"), "2", LEASE, Duration.ZERO);
        timers.advance(Duration.ofSeconds(10));
        store.down = false;

        returns.reconnected();

        assertThat(store.cancelled).containsExactlyInAnyOrder("1", "2");
        assertThat(returns.pending()).isZero();
        assertThat(timers.planned()).isZero();
        returns.reconnected();
        assertThat(store.cancelled).hasSize(2);
    }

    /** Trap 4: a delayed request may take a permit after its lease would have ended. */
    @Test
    void stopsAfterTheLeaseAndTheLongestDelayOfARequest() {
        store.down = true;
        returns.inBackground(BulkheadId.of("a"), "1", Duration.ofSeconds(3), Duration.ZERO);
        timers.advance(Duration.ofSeconds(55));
        assertThat(returns.pending()).isEqualTo(1);
        timers.advance(Duration.ofSeconds(11));

        assertThat(returns.pending()).isZero();
        assertThat(timers.planned()).isZero();
        store.down = false;
        returns.inBackground(BulkheadId.of("a"), "2", LEASE, Duration.ZERO);
        assertThat(store.cancelled).as("works after being idle").containsExactly("2");
    }

    @Test
    void batchesWhileTheStoreIsAway() {
        store.down = true;
        IntStream.range(0, 250).forEach(i -> returns.inBackground(BulkheadId.of("a"), "p" + i, LEASE, Duration.ZERO));
        returns.inBackground(BulkheadId.of("b"), "other", LEASE, Duration.ZERO);
        assertThat(store.log).containsExactly("cancel a 1", "cancel b 1");
        store.log.clear();
        store.down = false;

        timers.advance(Duration.ofSeconds(1));

        assertThat(store.log).containsExactlyInAnyOrder("cancel a 100", "cancel a 100", "cancel a 50", "cancel b 1");
        assertThat(store.cancelled).hasSize(251).doesNotHaveDuplicates();
        assertThat(returns.pending()).isZero();
    }
}
