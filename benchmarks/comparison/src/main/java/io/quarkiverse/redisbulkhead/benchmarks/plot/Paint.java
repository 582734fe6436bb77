package io.quarkiverse.redisbulkhead.benchmarks.plot;

/**
 * How something that is compared looks in all plots.
 *
 * @param colour as in SVG
 * @param dashed for what is no contender but a limit
 */
public record Paint(String colour, boolean dashed) {
}
