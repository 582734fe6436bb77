package io.quarkiverse.redisbulkhead.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryAfterTest {

    private final Random random = new Random(42);

    /** Trap 28: never zero. */
    @ParameterizedTest
    @CsvSource({ "PT0S,PT30S,1,2", "PT0.7S,PT30S,1,2", "PT4S,PT30S,4,6", "PT4.2S,PT30S,4,7", "PT29S,PT30S,29,30",
            "PT10M,PT30S,30,30", "PT10M,PT2.5S,3,3", "PT10M,PT0.1S,1,1" })
    void jitterIsAddedToTheEstimateBetweenOneSecondAndTheLease(Duration estimate, Duration lease, long least, long most) {
        long[] seconds = LongStream.generate(() -> Rejections.seconds(estimate, lease, random::nextDouble)).limit(2_000)
                .toArray();

        assertThat(LongStream.of(seconds).min()).hasValue(least);
        assertThat(LongStream.of(seconds).max()).hasValue(most);
    }

    /** Callers rejected together must not retry together. */
    @Test
    void shortDelaysHaveJitter() {
        long later = LongStream
                .generate(() -> Rejections.seconds(Duration.ofMillis(10), Duration.ofSeconds(30), random::nextDouble))
                .limit(2_000).filter(seconds -> seconds == 2).count();

        assertThat(later).isBetween(300L, 700L);
    }
}
