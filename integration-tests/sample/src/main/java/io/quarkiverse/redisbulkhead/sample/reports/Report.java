package io.quarkiverse.redisbulkhead.sample.reports;

/** The result of a report query. */
public record Report(String title, int rows) {
}
