package io.quarkiverse.redisbulkhead.runtime.bulkhead;

/**
 * The code that acquired a permit.
 *
 * @param thread the name of its thread
 * @param place the line, as {@code Class.method(File:line)}; empty where places are not recorded
 */
public record Taker(String thread, String place) {
}
