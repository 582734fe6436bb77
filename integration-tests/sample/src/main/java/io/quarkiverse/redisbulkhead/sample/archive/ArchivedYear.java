package io.quarkiverse.redisbulkhead.sample.archive;

import io.quarkiverse.redisbulkhead.sample.reports.Report;

/**
 * A year that was put into the archive.
 *
 * @param year the year
 * @param report what was found in it
 */
public record ArchivedYear(int year, Report report) {
}
