package io.quarkiverse.redisbulkhead.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemResponseTest {

    /** Trap 28: never zero, and never earlier than what was said. */
    @ParameterizedTest
    @CsvSource({ "PT0S,1", "PT0.001S,1", "PT0.999S,1", "PT1S,1", "PT1.001S,2", "PT29.5S,30" })
    void retryAfterIsRoundedUpAndAtLeastOne(Duration wait, long seconds) {
        assertThat(ProblemResponse.retryAfterSeconds(wait)).isEqualTo(seconds);
    }
}
