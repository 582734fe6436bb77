package io.quarkiverse.redisbulkhead.sample.reports;

/**
 * The result of a report query.
 *
 * @param title what the report is about
 * @param rows how many rows the database read for it
 */
public record Report(String title, int rows) {
}
