package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Duration FIRST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofMillis(35);

    @Test
    void pausesDoubleUpToALimitAndRestartAfterAReset() {
        Backoff longest = new Backoff(FIRST, LONGEST, () -> 1);
        assertThat(longest.next()).hasMillis(10);
        assertThat(longest.next()).hasMillis(20);
        assertThat(longest.next()).hasMillis(35);
        assertThat(longest.next()).hasMillis(35);
        longest.reset();
        assertThat(longest.next()).hasMillis(10);
    }

    @Test
    void jitterIsAtMostHalfOfThePause() {
        Backoff shortest = new Backoff(FIRST, LONGEST, () -> 0);
        assertThat(shortest.next()).hasMillis(5);
        assertThat(shortest.next()).hasMillis(10);
        assertThat(new Backoff(FIRST, LONGEST).next()).isBetween(FIRST.dividedBy(2), FIRST);
    }
}
