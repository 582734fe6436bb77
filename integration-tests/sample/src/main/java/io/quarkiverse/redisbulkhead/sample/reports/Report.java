package io.quarkiverse.redisbulkhead.sample.reports;

/**
 * What a report query finds.
 *
 * @param title what the report is about
 * @param rows how many rows the database read for it
 */
public record Report(String title, int rows) {
}
