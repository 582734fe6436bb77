package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;

/**
 * How long is measured.
 *
 * @param number of rounds
 * @param length of each
 * @param warmUp before the first of them, for each crew
 */
public record Rounds(int number, Duration length, Duration warmUp) {
}
