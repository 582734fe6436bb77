package io.quarkiverse.redisbulkhead.sample.archive;

import io.quarkiverse.redisbulkhead.sample.reports.Report;

/** A year that was put into the archive. */
public record ArchivedYear(int year, Report report) {
}
